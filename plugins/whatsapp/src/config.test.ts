import { readFileSync } from "node:fs";
import { platformOptions, z } from "@hermes/core";
import { describe, expect, it } from "vitest";
import { whatsappOptions } from "./config.ts";

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

const cloud = {
  transport: "cloud",
  phoneNumberId: "106540352242922",
  accessToken: "EAAtoken",
  appSecret: "secret",
  verifyToken: "word",
};

describe("the options", () => {
  it("README.md lists all options with their defaults", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
    const lines = readme.split("\n").map((line) => line.replaceAll(/ +/g, " "));
    const table = lines.filter((line) => /^\| `\w+` \| \w+/.test(line));
    expect(table).toEqual(rowsOf(z.toJSONSchema(whatsappOptions, { io: "input" }) as JsonSchema));
  });

  it("name the key that the Cloud API cannot do without", () => {
    const { appSecret: _, ...without } = cloud;
    const { error } = whatsappOptions.safeParse(without);
    expect(error?.issues).toMatchObject([{ path: ["appSecret"], message: expect.stringContaining("is needed") }]);
    expect(whatsappOptions.safeParse({ transport: "personal" }).success).toBe(true);
  });

  it("have to say which way to WhatsApp is meant", () => {
    expect(whatsappOptions.safeParse({}).error?.issues[0]?.path).toEqual(["transport"]);
  });

  it("take numbers as people write them", () => {
    const { homeChannel, allowedUsers, operators } = whatsappOptions.parse({
      ...cloud,
      homeChannel: "+49 170 1234567",
      allowedUsers: ["+49 170-1234567", "*"],
      operators: ["491701234567@s.whatsapp.net"],
    });
    expect(homeChannel).toEqual({ chatId: "491701234567" });
    expect([allowedUsers, operators]).toEqual([["491701234567", "*"], ["491701234567"]]);
  });

  it("tell the id of a number from the number", () => {
    expect(() => whatsappOptions.parse({ ...cloud, phoneNumberId: "+1 555 0100" })).toThrow("not the number itself");
  });
});
