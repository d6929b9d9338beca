import { expect, it } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import type { Turn } from "../model/turn.ts";
import type { Store } from "../store/store.ts";
import { turnNotices } from "./turn-notices.ts";

const conversation = { platform: "pager", chatId: "7", kind: "dm" } as const;
const key = buildSessionKey(conversation);
const bindings = { get: async () => ({ key, conversation }) } as unknown as Store["bindings"];
const turn = (surface: Turn["surface"]) => ({ surface, sessionId: "ses_1" }) as Turn;

it("a chat is told in a notice which model answers instead, the terminal is not", async () => {
  const told = ["a/b is overloaded; c/d answers"];
  expect(await turnNotices({ bindings }, turn(key), told)).toEqual([
    { key, conversation, sessionId: "ses_1", message: { kind: "notice", markdown: told[0] } },
  ]);
  expect(await turnNotices({ bindings }, turn("terminal"), told)).toEqual([]);
  expect(await turnNotices({ bindings }, turn(key), [])).toEqual([]);
});
