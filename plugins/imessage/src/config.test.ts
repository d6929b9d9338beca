import { describe, expect, it } from "vitest";
import { imessageOptions } from "./config.ts";

const parse = (options: object) => imessageOptions.safeParse({ password: "x", ...options });

describe("the options", () => {
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
