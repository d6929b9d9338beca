import { expect, test } from "vitest";
import { z } from "zod";
import { platformOptions } from "./platform-options.ts";

const options = z.object(platformOptions);

test("places are a chat id or an object, by names of one's own", () => {
  const places = { notes: "D0ADA", "Team room": { chatId: "C0TEAM", threadId: "1", shared: true } };
  expect(options.parse({ places }).places).toEqual({ ...places, notes: { chatId: "D0ADA" } });
  expect(options.parse({}).places).toEqual({});
});

test.each([
  [{ "a/b": "1" }, "has no slash"],
  [{ "#team": "1" }, "begins with a letter or digit"],
  [{ Team: "1", team: "2" }, "Two places are called team"],
  [{ team: { chat: "1" } }, "chat"],
])("the places %j are refused with the reason", (places, reason) => {
  const { success, error } = options.safeParse({ places });
  expect(success).toBe(false);
  expect(JSON.stringify(error?.issues)).toContain(reason);
});
