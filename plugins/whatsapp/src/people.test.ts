import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isPhoneNumber } from "./ids.ts";
import { People } from "./people.ts";

const NUMBER = "491701234567";
const HIDDEN = "123456789012345@lid";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-people-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("a person's conversation keeps the id it began with, whatever is learnt of them afterwards", () => {
  const people = new People(folder);
  expect(people.note([HIDDEN])).toBe(HIDDEN);
  expect(people.note([HIDDEN, NUMBER])).toBe(HIDDEN);
  expect(people.note([NUMBER])).toBe(HIDDEN);
});

it("a person who is first met under both ids is known by the number", () => {
  const people = new People(folder);
  expect(people.note([HIDDEN, NUMBER])).toBe(NUMBER);
  expect(people.chatOf(HIDDEN)).toBe(NUMBER);
  expect(people.idsOf(HIDDEN)).toEqual([HIDDEN, NUMBER]);
});

it("where a home channel's number turns out to be somebody already met, the number wins", () => {
  const people = new People(folder);
  people.meet(HIDDEN);
  people.meet(NUMBER);
  expect(people.note([HIDDEN, NUMBER])).toBe(NUMBER);
});

it("somebody with a new number is reached by that, and goes on in the same conversation", () => {
  const people = new People(folder);
  people.note([NUMBER, "491709999999"]);
  expect(people.chatOf("491709999999")).toBe(NUMBER);
  expect(people.addressOf(NUMBER, isPhoneNumber)).toBe("491709999999");
});

it("it is known after a restart, and nobody else on the machine can read it", () => {
  new People(folder).note([HIDDEN, NUMBER]);
  expect(new People(folder).chatOf(HIDDEN)).toBe(NUMBER);
  expect(statSync(join(folder, "people.json")).mode & 0o777).toBe(0o600);
});
