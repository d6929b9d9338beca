import { expect, test } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import { placeName } from "./place-name.ts";

const chat = { platform: "pager", chatId: "7", kind: "dm" } as const;

test.each([
  ["terminal" as const, null, "in the terminal"],
  [buildSessionKey(chat), chat, "on pager"],
  [buildSessionKey({ ...chat, threadId: "1" }), { ...chat, threadId: "1" }, "on pager, in a thread"],
  [buildSessionKey({ ...chat, kind: "group" }), { ...chat, kind: "group" as const }, "on pager, in a group"],
  [buildSessionKey(chat), null, "at another place"],
])("the surface %s has a name for people", (surface, conversation, name) => {
  expect(placeName(surface, conversation)).toBe(name);
});

test("a place that people share is called by its own name, and a private chat by none", () => {
  const group = { ...chat, kind: "group" } as const;
  expect(placeName(buildSessionKey(group), group, "#general")).toBe("in #general on pager");
  expect(placeName(buildSessionKey(chat), chat, "Ada")).toBe("on pager");
});
