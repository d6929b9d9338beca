import { readFileSync } from "node:fs";
import { platformOptions, z } from "@hermes/core";
import { describe, expect, it } from "vitest";
import { telegramOptions } from "./config.ts";

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
    return [`| \`${name}\` | ${type} | ${initial} | ${option.description} |`.replaceAll(/ +/g, " ")];
  });
}

const token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

describe("the options", () => {
  it("README.md lists all options with their defaults", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const lines = readme.split("\n").map((line) => line.replaceAll(/ +/g, " "));
    const table = lines.filter((line) => /^\| `\w+` \| \w+/.test(line));
    expect(table).toEqual(rowsOf(z.toJSONSchema(telegramOptions, { io: "input" }) as JsonSchema));
  });

  it("need a token, and speak to Telegram itself", () => {
    expect(telegramOptions.parse({ token })).toMatchObject({
      apiRoot: "https://api.telegram.org",
      linkPreviews: false,
    });
    expect(() => telegramOptions.parse({})).toThrow("token");
  });

  it("refuse what is no token without repeating it", () => {
    const wrong = `bot${token}`;
    expect(() => telegramOptions.parse({ token: wrong })).toThrow("is no token of a bot");
    expect(() => telegramOptions.parse({ token: wrong })).not.toThrow(token);
  });

  it("take a server's address with a slash behind it", () => {
    expect(telegramOptions.parse({ token, apiRoot: "http://127.0.0.1:8081/" }).apiRoot).toBe("http://127.0.0.1:8081");
  });
});
