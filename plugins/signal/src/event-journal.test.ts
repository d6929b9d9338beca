import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { EventJournal } from "./event-journal.ts";

const SECRET = 'a-"quoted"-password';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-signal-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("journals a waiting event without its secrets, and can read it again", () => {
  const redact = (text: string) => text.replaceAll(SECRET, "[redacted]");
  const data = { envelope: { sourceName: `Ada ${SECRET}`, dataMessage: { message: `my key ${SECRET}` } } };
  new EventJournal(folder, redact).keep({ id: "7", data: JSON.stringify(data) });
  const kept = readFileSync(join(folder, "events.jsonl"), "utf8");
  expect(kept).toContain("my key [redacted]");
  expect(kept).not.toContain("quoted");
  const [waiting] = new EventJournal(folder, redact).waiting();
  expect(JSON.parse(waiting?.event.data ?? "")).toEqual({
    envelope: { sourceName: "Ada [redacted]", dataMessage: { message: "my key [redacted]" } },
  });
});

it("keeps the events of two processes that have the account in turn", () => {
  const plain = (text: string) => text;
  const [one, other] = [new EventJournal(folder, plain), new EventJournal(folder, plain)];
  one.keep({ id: "1", data: '"one"' });
  other.keep({ id: "2", data: '"other"' });
  const kept = new EventJournal(folder, plain).waiting();
  expect(kept.map(({ event }) => event.data).sort()).toEqual(['"one"', '"other"']);
});

it("remembers the last event after the journal was compacted", () => {
  const plain = (text: string) => text;
  const journal = new EventJournal(folder, plain);
  for (let count = 1; count <= 200; count++) journal.drop(journal.keep({ id: `7-${count}`, data: '"words"' }));
  expect(readFileSync(join(folder, "events.jsonl"), "utf8").split("\n").length).toBeLessThan(120);
  const next = new EventJournal(folder, plain);
  expect(next.waiting()).toEqual([]);
  expect(next.lastEventId()).toBe("7-200");
  expect(readFileSync(join(folder, "events.jsonl"), "utf8")).not.toContain("words");
});
