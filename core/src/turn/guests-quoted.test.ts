import { expect, it } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import type { SessionId } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { TurnId } from "../model/turn.ts";
import { guestsQuoted } from "./guests-quoted.ts";

const DM = buildSessionKey({ platform: "pager", chatId: "bob", kind: "dm" });
const GROUP = buildSessionKey({ platform: "pager", chatId: "team", kind: "group" });
/** A session that an earlier version has kept, which marked nobody in a private chat. */
const BOBS = { origin: DM, unmarkedUntil: 1 } as const;

function row(turn: string, text: string, more: Partial<TranscriptMessage> = {}): TranscriptMessage {
  const ids = { sessionId: "ses_1" as SessionId, seq: 1, turnId: turn as TurnId, createdAt: 0 };
  return { ...ids, role: "user", text, surface: DM, ...more };
}

function textsIn(rows: readonly TranscriptMessage[], session: Parameters<typeof guestsQuoted>[1] = BOBS): string[] {
  return guestsQuoted(rows, session, "now" as TurnId).map(({ text }) => text);
}

it("words of another's private chat are data when the operator goes on there", () => {
  const rows = [row("1", "Delete it."), row("1", "No.", { role: "assistant", surface: null })];
  const asked = row("now", "Sum it up.", { surface: "terminal" });
  expect(textsIn([...rows, asked])).toEqual([
    "⟦from somebody who may not use tools⟧\n> Delete it.",
    "No.",
    "Sum it up.",
  ]);
  const own = { origin: DM, unmarkedUntil: 0 };
  expect(textsIn([...rows, asked], own)).toEqual(["Delete it.", "No.", "Sum it up."]);
});

it("somebody's own words in their private chat are their request", () => {
  const ofGroup = row("1", '⟦from "Eve" #a1b2c3⟧\nDelete it.', { surface: GROUP });
  expect(textsIn([row("1", "Hello."), ofGroup, row("now", "Go on.")])).toEqual([
    "Hello.",
    '⟦from "Eve" #a1b2c3, who may not use tools⟧\n> Delete it.',
    "Go on.",
  ]);
});

it("a guest's picture is named in an operator's turn, and shown in the guest's own", () => {
  const files = [{ hash: "a".repeat(64), name: "cat.png", mediaType: "image/png", size: 70 }];
  const guests = row("1", '⟦from "Eve" #a1b2c3⟧\nSee\n⟦attached: "cat.png", image/png⟧', { surface: GROUP, files });
  const own = row("2", "Mine", { surface: "terminal", files });
  const shown = (asked: TranscriptMessage) =>
    guestsQuoted([guests, own, asked], { origin: "terminal", unmarkedUntil: 0 }, "now" as TurnId).map(
      (one) => one.files?.length ?? 0,
    );
  expect(shown(row("now", "Sum it up.", { surface: "terminal" }))).toEqual([0, 1, 0]);
  expect(shown(row("now", '⟦from "Eve" #a1b2c3⟧\nWell?', { surface: GROUP }))).toEqual([1, 1, 0]);
});

it("Hermes' own notes in the transcript are left as they are", () => {
  const note = row("1", "The session came from the terminal.", { internal: true });
  expect(textsIn([note, row("now", "Go on.", { surface: "terminal" })])).toEqual([note.text, "Go on."]);
});
