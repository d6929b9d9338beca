import { expect, test } from "vitest";
import { matchResults, openToolCalls } from "./call-results.ts";
import type { TurnId } from "./turn.ts";

test("a call with a result is not open although a marker came in between", () => {
  const call = { id: "a", name: "read", input: {} };
  const asked = { role: "assistant", toolCalls: [call] } as const;
  const marker = { role: "assistant" } as const;
  expect(openToolCalls([asked, marker, { role: "tool", toolCallId: "a" }])).toEqual([]);
  expect(openToolCalls([asked, marker, { role: "user" }])).toEqual([call]);
});

const turn = (id: string) => id as TurnId;

test("a result belongs to the call of its own turn, wherever its row stands", () => {
  const first = { role: "assistant", turnId: turn("t1"), toolCalls: [{ id: "1.1", name: "read", input: {} }] } as const;
  const second = {
    role: "assistant",
    turnId: turn("t2"),
    toolCalls: [{ id: "1.1", name: "list", input: {} }],
  } as const;
  const late = { role: "tool", turnId: turn("t1"), toolCallId: "1.1" } as const;
  const rows: Parameters<typeof openToolCalls>[0] = [first, { role: "user", turnId: turn("t2") }, second, late];
  expect(matchResults(rows).get(first)).toEqual([late]);
  expect(openToolCalls([first, second, late])).toEqual(second.toolCalls);
});
