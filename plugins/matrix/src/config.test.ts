import { describe, expect, it } from "vitest";
import { matrixOptions } from "./config.ts";

const homeserverUrl = "https://matrix.example.org";

describe("the options", () => {
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
