import { systemClock } from "@hermes/core";
import { pluginDeps } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { signalOptions } from "./config.ts";

describe("the options", () => {
  it("need nothing where the daemon runs as signal-cli starts it", () => {
    expect(signalOptions.parse({})).toMatchObject({ url: "http://127.0.0.1:8080", trustNewIdentities: false });
  });

  it("ids are normalised: spaces, upper-case UUIDs, both base64 alphabets", () => {
    const group = Buffer.alloc(32, 0xfb).toString("base64");
    const options = signalOptions.parse({
      homeChannel: Buffer.alloc(32, 0xfb).toString("base64url"),
      allowedUsers: ["+49 (170) 123-4567", "11111111-AAAA-4BBB-8CCC-000000000001", "*"],
      operators: [" +491701234567 "],
    });
    expect(options.homeChannel?.chatId).toBe(group);
    expect(options.allowedUsers).toEqual(["+491701234567", "11111111-aaaa-4bbb-8ccc-000000000001", "*"]);
    expect(options.operators).toEqual(["+491701234567"]);
  });

  it("a group's id is taken as signal-cli-rest-api writes it, too", () => {
    const group = Buffer.alloc(32, 0xfb).toString("base64");
    const written = `group.${Buffer.from(group).toString("base64")}`;
    expect(signalOptions.parse({ homeChannel: written }).homeChannel?.chatId).toBe(group);
  });

  it("an id that can be no chat's or person's is refused before anything starts", () => {
    for (const homeChannel of ["group.abc", "Ada", "01701234567"]) {
      expect(() => signalOptions.parse({ homeChannel })).toThrow(/names no chat: a number as \+491701234567, a UUID/);
    }
    for (const id of ["Ada", Buffer.alloc(32, 1).toString("base64")]) {
      expect(() => signalOptions.parse({ operators: [id] })).toThrow(/no person's id/);
    }
  });

  it("refuse an address with a password in it, without repeating that", () => {
    const withPassword = () => signalOptions.parse({ url: "http://me:secret-of-mine@127.0.0.1:8080" });
    expect(withPassword).toThrow("signal-cli has no sign-in");
    expect(withPassword).not.toThrow("secret-of-mine");
  });

  it("take an address with a slash behind it", () => {
    expect(signalOptions.parse({ url: "http://127.0.0.1:8080/" }).url).toBe("http://127.0.0.1:8080");
  });
});

describe("naming the plugin in a config", () => {
  it("loads no adapter; starting it does", async () => {
    const { signal } = await import("./index.ts");
    const descriptor = signal({ homeChannel: "+491701234567" });
    expect(descriptor).toMatchObject({ package: "@hermes/plugin-signal", platform: "signal", apiVersion: 2 });
    const adapter = await descriptor.create(
      pluginDeps({ options: descriptor.options, clock: systemClock, folder: "" }),
    );
    expect(adapter).toBeInstanceOf((await import("./adapter.ts")).SignalAdapter);
  });
});
