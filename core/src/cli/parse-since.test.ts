import { afterEach, beforeEach, expect, test } from "vitest";
import { parseSince } from "./parse-since.ts";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const since = (text: string) => new Date(parseSince(text)(NOW)).toISOString();

let zone: string | undefined;
beforeEach(() => {
  zone = process.env.TZ;
  process.env.TZ = "America/New_York";
});
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test("--since counts back in seconds, minutes, hours, days and weeks", () => {
  expect(["30s", "15m", "12h", "7d", "2w"].map(since)).toEqual([
    "2026-06-15T11:59:30.000Z",
    "2026-06-15T11:45:00.000Z",
    "2026-06-15T00:00:00.000Z",
    "2026-06-08T12:00:00.000Z",
    "2026-06-01T12:00:00.000Z",
  ]);
});

test("--since takes a day and a time as those of this machine's zone", () => {
  expect(since("2026-01-31")).toBe("2026-01-31T05:00:00.000Z");
  expect(since("2026-06-14T09:00")).toBe("2026-06-14T13:00:00.000Z");
  expect(since("2026-06-14 09:00:30")).toBe("2026-06-14T13:00:30.000Z");
});

test("--since takes a time with a zone as it is in a document", () => {
  expect(since("2026-06-14T09:00:00.250Z")).toBe("2026-06-14T09:00:00.250Z");
  expect(since("2026-06-14T09:00+02:00")).toBe("2026-06-14T07:00:00.000Z");
});

test("--since refuses what is no age, day or time, and shows examples", () => {
  for (const text of [
    "",
    "soon",
    "0d",
    "1.5h",
    "5y",
    "2026-02-30",
    "2026-02-30T09:00",
    "2026-01-31T25:00",
    "2026",
    "7",
  ]) {
    expect(() => parseSince(text)).toThrow(
      /It has to be an age such as 30s, .* a day .* 2026-01-31T09:00, both in local/,
    );
  }
});

test("--since 999999w begins with 1970", () => {
  expect(since("999999w")).toBe("1970-01-01T00:00:00.000Z");
});
