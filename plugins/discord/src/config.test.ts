import { readFileSync } from "node:fs";
import { platformOptions, z } from "@hermes/core";
import { describe, expect, it } from "vitest";
import { discordOptions } from "./config.ts";

interface JsonSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

function rowsOf(schema: JsonSchema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    // What all platforms have is described once, elsewhere.
    if (name in platformOptions && name !== "homeChannel") return [];
    const type = option.type ?? option.anyOf?.map((one) => one.type).join(" or ");
    const initial = option.default === undefined ? "" : `\`${JSON.stringify(option.default)}\``;
    return [`| \`${name}\` | ${type} | ${initial} | ${option.description} |`];
  });
}

/** A row of a table without the spaces that align it. */
function narrow(line: string): string {
  return line.replaceAll(/ *\| */g, " | ").trim();
}

describe("the options", () => {
  it("README.md lists all options with their defaults", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const table = readme.split("\n").filter((line) => /^\| `\w+` +\| (string|boolean)/.test(line));
    const schema = z.toJSONSchema(discordOptions, { io: "input" }) as JsonSchema;
    expect(table.map(narrow)).toEqual(rowsOf(schema).map(narrow));
  });

  it("need a token, and say where one is to be had", () => {
    expect(() => discordOptions.parse({})).toThrow("Developer Portal");
    expect(() => discordOptions.parse({ token: undefined })).toThrow("Developer Portal");
  });

  it("take a token as people copy it", () => {
    expect(discordOptions.parse({ token: " Bot abc.def.ghi\n" }).token).toBe("abc.def.ghi");
  });

  it("take a forum's tag by name or id", () => {
    const home = { chatId: "1", tag: "sessions" };
    expect(discordOptions.parse({ token: "t", homeChannel: home }).homeChannel).toMatchObject(home);
    expect(() => discordOptions.parse({ token: "t", homeChannel: { chatId: "1", tag: 5 } })).toThrow("tag");
  });

  it("allow nobody by themselves", () => {
    expect(discordOptions.parse({ token: "t" })).toMatchObject({
      allowedUsers: [],
      operators: [],
      requireMention: true,
    });
  });
});
