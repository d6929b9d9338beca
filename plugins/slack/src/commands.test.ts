import { describe, expect, it } from "vitest";
import { fromBang, fromSlashCommand } from "./inbound.ts";

const commands = [
  { name: "title", description: "", argumentHint: "" },
  { name: "new", description: "", argumentHint: "" },
];

describe("/hermes", () => {
  it.each([
    ["title Trip to Rome", "/title Trip to Rome"],
    ["new", "/new"],
    ["/new", "/new"],
    ["", "/help"],
    ["statsu", "/statsu"],
    ["what is the weather?", "what is the weather?"],
  ])("%s", (text, said) => {
    expect(fromSlashCommand(text, commands)).toBe(said);
  });
});

describe("a message that begins with !", () => {
  it("a message that begins with ! and a command's name is that command", () => {
    expect(fromBang("!title Trip to Rome", commands)).toBe("/title Trip to Rome");
    expect(fromBang("!NEW", commands)).toBe("/NEW");
  });

  it("stays what it is otherwise", () => {
    for (const text of ["!important: read this", "!", "!newer", "wait!new"])
      expect(fromBang(text, commands)).toBe(text);
  });
});
