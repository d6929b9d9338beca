import { readFileSync } from "node:fs";
import { platformOptions, z } from "@hermes/core";
import { describe, expect, it } from "vitest";
import { matrixOptions } from "./config.ts";

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

const homeserverUrl = "https://matrix.example.org";

describe("the options", () => {
  it("README.md lists all options with their defaults", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const lines = readme.split("\n").map((line) => line.replaceAll(/ +/g, " "));
    const table = lines.filter((line) => /^\| `\w+` \| \w+/.test(line));
    expect(table).toEqual(rowsOf(z.toJSONSchema(matrixOptions, { io: "input" }) as JsonSchema));
  });

  it("need a server, and a token or a name with its password", () => {
    expect(() => matrixOptions.parse({ accessToken: "syt_x" })).toThrow("homeserverUrl");
    expect(() => matrixOptions.parse({ homeserverUrl })).toThrow("is needed, or `user` and `password`");
    expect(() => matrixOptions.parse({ homeserverUrl, user: "@hermes:example.org" })).toThrow("is needed");
    expect(matrixOptions.parse({ homeserverUrl, user: "@hermes:example.org", password: "secret" })).toMatchObject({
      deviceName: "Hermes",
    });
  });

  it("take a server's address with a slash behind it", () => {
    expect(matrixOptions.parse({ homeserverUrl: `${homeserverUrl}/`, accessToken: "syt_x" }).homeserverUrl).toBe(
      homeserverUrl,
    );
  });
});
