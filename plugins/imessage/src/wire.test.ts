import { describe, expect, it } from "vitest";
import { loginsOf, serverInfo } from "./wire.ts";

describe("the account's addresses", () => {
  it.each([
    ["E:ada@example.org", "ada@example.org"],
    ["P:+491701234567", "+491701234567"],
    ["E:", undefined],
    ["", undefined],
    [null, undefined],
  ])("the login %j of the newest chat names %j", (login, address) => {
    const info = serverInfo.parse({ detected_imessage: login, detected_icloud: "me@example.org" });
    expect(loginsOf(info)).toEqual([...(address === undefined ? [] : [address]), "me@example.org"]);
  });
});
