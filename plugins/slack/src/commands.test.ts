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
  it("a message that begins with ! and a name is a command, known or not", () => {
    expect(fromBang("!title Trip to Rome")).toBe("/title Trip to Rome");
    expect(fromBang("!NEW")).toBe("/NEW");
    expect(fromBang("!frobnicate")).toBe("/frobnicate");
  });

  it("stays what it is otherwise", () => {
    for (const text of ["!important: read this", "!", "!!", "! new", "wait!new"]) expect(fromBang(text)).toBe(text);
  });
});
