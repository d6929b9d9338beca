import { expect, test } from "vitest";
import { createRowRedaction } from "./row-redaction.ts";

const SECRET = "s3cr3t/with+signs";
const rows = createRowRedaction([SECRET, "another-secret"]);

test("a row keeps no secret that has hidden characters inside it", () => {
  const { text } = createRowRedaction(["s3cr3t-value-1"]);
  expect(text("key s3cr3t-\u200bvalue-1 and sk-ant-api03-\u200bAAAABBBBCCCCDDDD")).toBe(
    "key [redacted] and [redacted]",
  );
});

test("a stored text loses known secrets, and what looks like one, for good", () => {
  const stored = rows.text(`${SECRET}, sk-live-0123456789abcdef`);
  expect(stored).toBe("[redacted], [redacted]");
  expect(rows.original(stored)).toBe(stored);
});

test("a stored id is restored, however the secret in it is spelled", () => {
  for (const id of [`chat:${SECRET}`, `agent:main:x:dm:${encodeURIComponent(SECRET)}`, "plain"]) {
    const stored = rows.id(id);
    expect(stored).not.toMatch(/s3cr3t/);
    expect(rows.original(stored)).toBe(id);
  }
});

test("two ids that differ only in their secret stay different", () => {
  expect(rows.id(`chat:${SECRET}`)).not.toBe(rows.id("chat:another-secret"));
});

test("an id that only looks like a secret stays, since the platform knows no other", () => {
  expect(rows.id("123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1")).toBe(
    "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
  );
});

test("a process that does not know the secret leaves the id as it is stored", () => {
  const stored = rows.id(`chat:${SECRET}`);
  expect(createRowRedaction([]).original(stored)).toBe(stored);
});

test("a stand-in that somebody writes in a text does not become the secret", () => {
  expect(rows.original(rows.text(`say ${rows.id(SECRET)}`))).toBe("say [redacted]");
});

test("a text that was cut within a secret keeps nothing of it", () => {
  expect(rows.text(`my key ${SECRET.slice(0, 10)}…`)).toBe("my key [redacted]…");
  expect(rows.text("my key s3…")).toBe("my key s3…");
});
