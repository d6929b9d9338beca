import { createVirtualClock, ordinaryMarkdown } from "@hermes/testing";
import { LoopbackPlatform } from "@hermes/testing/loopback-platform";
import { expect, it } from "vitest";
import type { OutboxRow } from "../../model/outbox.ts";
import type { SessionId } from "../../model/session.ts";
import { piecesOf, sendRow } from "./send-row.ts";
import { NO_FILES } from "./test-delivery.ts";

it("passes the session of each message to the adapter", async () => {
  const platform = new LoopbackPlatform();
  const adapter = platform.newAdapter();
  const told: (string | undefined)[] = [];
  adapter.send = async (_to, _piece, { sessionId }) => {
    told.push(sessionId);
    return { messageId: "1", sentAt: 0 };
  };
  const row = { id: "out_1", draftMessageId: null, sessionId: "ses_1" as SessionId } as unknown as OutboxRow;
  const deps = { adapter, clock: createVirtualClock() };
  await sendRow(deps, row, { piece: { text: "hello" } });
  await sendRow(deps, { ...row, sessionId: null }, { piece: { text: "hello" } });
  expect(told).toEqual(["ses_1", undefined]);
});

it("sends an answer that formatting leaves empty as it stands, cut to the limit", async () => {
  const platform = new LoopbackPlatform();
  platform.capabilities = { ...platform.capabilities, textLimit: { length: 100, unit: "utf16" } };
  const adapter = platform.newAdapter();
  adapter.render = () => [];
  const markdown = "`".repeat(250);
  const pieces = await piecesOf(adapter, NO_FILES, { kind: "answer", markdown });
  expect(pieces.map(({ text }) => text).join("")).toBe(markdown);
  expect(Math.max(...pieces.map(({ text }) => text.length))).toBeLessThanOrEqual(100);
});

it("an adapter gets choices only if it renders them and all of them fit", async () => {
  const platform = new LoopbackPlatform();
  platform.choices = { most: 2, labelLength: 3 };
  const adapter = platform.newAdapter();
  const choice = (label: string) => ({ id: label, label, style: "plain" }) as const;
  const extras = async (...labels: string[]) => {
    const pieces = await piecesOf(adapter, NO_FILES, {
      kind: "question",
      markdown: "Well?",
      choices: labels.map(choice),
    });
    return pieces.map(({ text, extra }) => ({ text, extra }));
  };
  const without = [{ text: "Well?", extra: undefined }];
  expect(await extras("Yes", "No")).toEqual([{ text: "Well?", extra: { choices: [choice("Yes"), choice("No")] } }]);
  expect(await extras("Yes", "No", "Eh")).toEqual(without);
  expect(await extras("Maybe")).toEqual(without);
  platform.choices = undefined;
  expect(await extras("Yes", "No")).toEqual(without);
});

it("formats a long answer by sections, and yields to other work in between", async () => {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns++;
    next = setImmediate(turn);
  });
  const markdown = ordinaryMarkdown(100_000);
  const pieces = await piecesOf(new LoopbackPlatform().newAdapter(), NO_FILES, { kind: "answer", markdown });
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(9);
  expect(pieces.map(({ text }) => text.replaceAll("```", "")).join("")).toContain("## Section 100");
});
