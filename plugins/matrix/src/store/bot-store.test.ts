import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everyColumnOf } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BotStore } from "./bot-store.ts";

const SECRET = "plainly-a-password-42";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-matrix-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("a secret in the name of a room stands in no column of the bot's file", () => {
  const store = new BotStore(folder, (text) => text.replaceAll(SECRET, "[redacted]"));
  const facts = { membership: "join", joined: 2, invited: 0, visibility: "shared" } as const;
  store.saveRoom("!a:hs", { ...facts, name: `on ${SECRET}` });
  store.commit("s1", new Map([["!b:hs", { ...facts, name: SECRET }]]));
  expect(store.rooms().get("!a:hs")).toMatchObject({ name: "on [redacted]" });
  store.close();
  expect(everyColumnOf(join(folder, "matrix.db")).values.filter(({ value }) => value.includes(SECRET))).toEqual([]);
});
