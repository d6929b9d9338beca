import { describe, expect, it } from "vitest";
import { webOptions } from "./config.ts";

describe("the options", () => {
  it("need nothing", () => {
    expect(webOptions.parse({})).toMatchObject({ host: "127.0.0.1", port: 8765, homeChannel: { chatId: "home" } });
  });

  it.each([
    ...["0.0.0.0", "0", "00", "0x0", "0.0", "0.0.0", "000.0.0.0", "0x0.0.0.0", " 0.0.0.0", "０"],
    ...["::", "[::]", "::0", "[::0]", "0::", "0:0:0:0:0:0:0:0", "::0.0.0.0", "::ffff:0.0.0.0", "::ffff:0:0", "::%lo"],
  ])("need a public address where the host %j stands for every address", (host) => {
    expect(() => webOptions.parse({ host })).toThrow("publicUrl");
    expect(webOptions.parse({ host, publicUrl: "https://hermes.example.org" }).host).toBe(host);
  });

  it.each(["127.0.0.1", "localhost", "::1", "[::1]", "192.168.1.20", "10.0.0.0", "fe80::1%eth0"])(
    "need no public address where the host is %s",
    (host) => {
      expect(webOptions.parse({ host }).host).toBe(host);
    },
  );

  it("take a host for every address together with a public address", () => {
    expect(webOptions.parse({ host: "0.0.0.0", publicUrl: "https://hermes.example.org" }).host).toBe("0.0.0.0");
  });

  it("know one home channel", () => {
    expect(webOptions.parse({ homeChannel: "home" }).homeChannel).toEqual({ chatId: "home" });
    expect(() => webOptions.parse({ homeChannel: "elsewhere" })).toThrow("homeChannel");
  });
});
