import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, notingLogger } from "@hermes/testing";
import { Chats } from "@hermes/testing/chats-with-history";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Cursors } from "./cursors.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-cursors-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("compares few ids for a message, however many came within a minute", () => {
  let compared = 0;
  const chats = new Chats();
  const isAfter = (a: string, b: string) => {
    compared++;
    return chats.isAfter(a, b);
  };
  const history = { isAfter, before: chats.before } as Chats;
  const cursors = new Cursors({ folder, clock: createVirtualClock(), logger: notingLogger([]), history });
  cursors.raise("1000");
  const ids = Array.from({ length: 5_000 }, () => chats.write("one", "word").id);
  for (const id of ids) cursors.advance("one", id);
  expect(compared).toBeLessThan(5 * ids.length);
  // The last ones are told one by one, so that what they overtook is still fetched.
  expect(ids.slice(-500).every((id) => cursors.hasSeen("one", id))).toBe(true);
  expect(Number(cursors.upTo("one"))).toBeLessThan(Number(ids.at(-500)));
});
