import { describe, expect, it } from "vitest";
import { discordOptions } from "./config.ts";

describe("the options", () => {
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
