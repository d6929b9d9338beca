import { describe, expect, it } from "vitest";
import { telegramOptions } from "./config.ts";

const token = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

describe("the options", () => {
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
