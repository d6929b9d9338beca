import { describe, expect, it } from "vitest";
import { isBusinessScopedId, isPhoneNumber, masked, toId } from "./source.ts";

describe("the id of a person", () => {
  it.each([
    ["+49 170 123-45.67", "491701234567"],
    ["(49) 170 1234567", "(49) 170 1234567"],
    ["491701234567@s.whatsapp.net", "491701234567"],
    ["491701234567:12@s.whatsapp.net", "491701234567"],
    ["491701234567@c.us", "491701234567"],
    ["123456789012345:3@lid", "123456789012345@lid"],
    ["120363012345678901@g.us", "120363012345678901@g.us"],
    ["DE.1502576394655843", "DE.1502576394655843"],
  ])("%s is kept as %s", (written, id) => {
    expect(toId(written)).toBe(id);
  });

  it("national number rules do not change the length of an id", () => {
    expect(toId("+55 11 98765-4321")).not.toBe(toId("+55 11 8765-4321"));
  });

  it("phone numbers and ids that hide them are told apart", () => {
    expect(isPhoneNumber("491701234567")).toBe(true);
    expect(isPhoneNumber("123456789012345@lid")).toBe(false);
    expect(isBusinessScopedId("DE.1502576394655843")).toBe(true);
    expect(isBusinessScopedId("US.ENT.11815799212886844830")).toBe(true);
    expect(isBusinessScopedId("491701234567")).toBe(false);
  });

  it("stands in no log as a whole; that of a group does, for whoever writes the config", () => {
    expect(masked("120363012345678901@g.us")).toBe("120363012345678901@g.us");
    expect(masked("491701234567")).toBe("…567");
    expect(masked("123456789012345@lid")).toBe("…345@lid");
  });
});
