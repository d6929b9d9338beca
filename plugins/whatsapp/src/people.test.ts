import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, openIdentities, type TestIdentities } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { adoptPeople, People } from "./people.ts";
import { isPhoneNumber } from "./source.ts";

const NUMBER = "491701234567";
const OTHER_NUMBER = "491709999999";
const HIDDEN = "123456789012345@lid";
const OTHER_HIDDEN = "987654321098765@lid";

let folder: string;
let identities: TestIdentities;
let people: People;

async function open(): Promise<void> {
  identities = await openIdentities(folder, { platform: "whatsapp", clock: createVirtualClock() });
  people = new People(identities);
}

/** A message of somebody who may talk to Hermes, with these ids. Returns the id that the conversation is kept under. */
async function hear(...ids: string[]): Promise<string> {
  const person = await people.note(ids);
  await identities.keep({ id: person.key, person });
  return person.key;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-people-"));
  await open();
});
afterEach(async () => {
  await identities[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

it("a person's conversation keeps its first id, whatever is learnt afterwards", async () => {
  expect(await hear(HIDDEN)).toBe(HIDDEN);
  expect(await hear(HIDDEN, NUMBER)).toBe(HIDDEN);
  expect(await hear(NUMBER)).toBe(HIDDEN);
});

it("knows a person first met under both ids by the number, also after a restart", async () => {
  expect(await hear(HIDDEN, NUMBER)).toBe(NUMBER);
  await identities[Symbol.asyncDispose]();
  await open();
  expect(await hear(HIDDEN)).toBe(NUMBER);
});

it("a person is written to at the id that their last message came from", async () => {
  await hear(HIDDEN, NUMBER);
  expect((await people.addressesOf(NUMBER))[0]).toBe(HIDDEN);
  await hear(NUMBER, HIDDEN);
  expect((await people.addressesOf(NUMBER))[0]).toBe(NUMBER);
});

it("whoever takes over a number is another person, and its former owner loses it", async () => {
  expect(await hear(NUMBER, HIDDEN)).toBe(NUMBER);
  expect(await hear(NUMBER, OTHER_HIDDEN)).toBe(OTHER_HIDDEN);
  expect(await hear(HIDDEN)).toBe(NUMBER);
  expect(await people.addressesOf(NUMBER)).toEqual([HIDDEN]);
});

it("a stranger who takes over a number takes it from its owner, and is not kept", async () => {
  await hear(NUMBER, HIDDEN);
  const stranger = await people.note([NUMBER, OTHER_HIDDEN]);
  expect(stranger).toMatchObject({ isKept: false, grants: [OTHER_HIDDEN] });
  expect(await people.holder(NUMBER)).toBeNull();
  expect(await identities.person(NUMBER)).toMatchObject({ ids: [{ id: HIDDEN }] });
});

it("a number that was somebody else's grants nothing to who has it now", async () => {
  await hear(NUMBER, HIDDEN);
  await hear(NUMBER, OTHER_HIDDEN);
  expect((await identities.person(OTHER_HIDDEN))?.grants).toEqual([OTHER_HIDDEN]);
});

it("a number alone that was left by its owner does not lead to their conversation", async () => {
  await hear(NUMBER, HIDDEN);
  await people.link([NUMBER], [OTHER_NUMBER, HIDDEN]);
  expect(await hear(NUMBER)).toBe(`${NUMBER}~2`);
  expect(await hear(OTHER_NUMBER)).toBe(NUMBER);
});

it("two hidden ids that WhatsApp itself joins are one person", async () => {
  await hear(HIDDEN);
  await people.link([HIDDEN], [OTHER_HIDDEN]);
  expect(await hear(OTHER_HIDDEN)).toBe(HIDDEN);
});

it("a system message about a recycled number does not merge its two owners", async () => {
  await hear(NUMBER, HIDDEN);
  // Somebody who has had the number since, unheard of here, moves on to another one.
  await people.link([NUMBER], [OTHER_NUMBER, OTHER_HIDDEN]);
  expect(await hear(OTHER_NUMBER, OTHER_HIDDEN)).toBe(OTHER_NUMBER);
  expect(await hear(HIDDEN)).toBe(NUMBER);
});

it("imports an earlier version's file once, and parts two people it had joined", async () => {
  const file = [
    { chatId: NUMBER, ids: [HIDDEN, NUMBER] },
    { chatId: "15550001", ids: ["15550001", "US.1111111111", "US.9999999999"] },
    { chatId: "15550002", ids: ["15550002", "15550003", "US.2222222222"] },
  ];
  writeFileSync(join(folder, "people.json"), JSON.stringify(file));
  await adoptPeople(folder, identities);
  expect(existsSync(join(folder, "people.json"))).toBe(false);
  expect(await hear(HIDDEN)).toBe(NUMBER);
  expect(await hear("15550001", "US.1111111111")).toBe("US.1111111111");
  expect(await hear("US.9999999999")).toBe("US.9999999999");
  // Which of two numbers is theirs now, only their next message tells.
  expect(await hear("US.2222222222")).toBe("15550002");
  expect((await people.addressesOf("15550002")).find(isPhoneNumber)).toBeUndefined();
  await adoptPeople(folder, identities);
});
