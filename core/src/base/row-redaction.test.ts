import { expect, test } from "vitest";
import { createRowRedaction } from "./row-redaction.ts";

const SECRET = "s3cr3t/with+signs";
const rows = createRowRedaction([SECRET, "another-secret"]);

test("no row keeps a secret with characters between its own that nobody sees", () => {
  const { text } = createRowRedaction(["s3cr3t-value-1"]);
  expect(text("key s3cr3t-\u200bvalue-1 and sk-ant-api03-\u200bAAAABBBBCCCCDDDD")).toBe(
    "key [redacted] and [redacted]",
  );
});

test("a text loses known secrets and what looks like one for good", () => {
  const stored = rows.text(`${SECRET}, sk-live-0123456789abcdef`);
  expect(stored).toBe("[redacted], [redacted]");
  expect(rows.original(stored)).toBe(stored);
});

test("an id comes back as it was given, however the secret in it is spelled", () => {
  for (const id of [`chat:${SECRET}`, `agent:main:x:dm:${encodeURIComponent(SECRET)}`, "plain"]) {
    const stored = rows.id(id);
    expect(stored).not.toMatch(/s3cr3t/);
    expect(rows.original(stored)).toBe(id);
  }
});

test("two ids that differ in their secret only stay two", () => {
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

test("whoever writes the stand-in of a secret does not get the secret for it", () => {
  expect(rows.original(rows.text(`say ${rows.id(SECRET)}`))).toBe("say [redacted]");
});

test("a text that was cut within a secret keeps nothing of it", () => {
  expect(rows.text(`my key ${SECRET.slice(0, 10)}…`)).toBe("my key [redacted]…");
  expect(rows.text("my key s3…")).toBe("my key s3…");
});
