import { describe, expect, it } from "vitest";
import { whatsappOptions } from "./config.ts";

const cloud = {
  transport: "cloud",
  phoneNumberId: "106540352242922",
  accessToken: "EAAtoken",
  appSecret: "secret",
  verifyToken: "word",
};

describe("the options", () => {
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
