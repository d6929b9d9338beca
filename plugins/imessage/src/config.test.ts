import { readFileSync } from "node:fs";
import { platformOptions, z } from "@hermes/core";
import { describe, expect, it } from "vitest";
import { imessageOptions } from "./config.ts";

interface JsonSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

function rowsOf(schema: JsonSchema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    if (name in platformOptions && option.description === undefined) return [];
    const type = option.type ?? option.anyOf?.map((one) => one.type).join(" or ");
    const initial = option.default === undefined ? "" : `\`${JSON.stringify(option.default)}\``;
    return [`| \`${name}\` | ${type} | ${initial} | ${option.description} |`.replaceAll(/ +/g, " ")];
  });
}

const parse = (options: object) => imessageOptions.safeParse({ password: "x", ...options });

describe("the options", () => {
  it("README.md lists all options with their defaults", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const lines = readme.split("\n").map((line) => line.replaceAll(/ +/g, " "));
    const table = lines.filter((line) => /^\| `\w+` \| (?:string|boolean|array|object)/.test(line));
    expect(table).toEqual(rowsOf(z.toJSONSchema(imessageOptions, { io: "input" }) as JsonSchema));
  });

  it("ids are normalised: spaces, guids of chats, capitals of mail addresses", () => {
    const ids = ["+49 (170) 123-4567", "iMessage;-;+491701234567", "Ada@Example.org", "SMS;-;+491701234567", "*"];
    const { data } = parse({ homeChannel: "any;+;chat12", allowedUsers: ids });
    expect(data?.homeChannel?.chatId).toBe("chat12");
    expect(data?.allowedUsers).toEqual(["+491701234567", "+491701234567", "ada@example.org", "sms:+491701234567", "*"]);
  });

  it.each([
    ["http://mac.example.org:1234", false],
    ["http://10.example.org:1234", false],
    ["http://127.example.org", false],
    ["https://mac.example.org", true],
    ["http://192.168.1.20:1234", true],
    ["http://my-mac.local:1234", true],
  ])("the password goes to %s: %s", (url, isTaken) => {
    expect(parse({ url }).success).toBe(isTaken);
  });
});
