import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PERSONAL_CHATS } from "../../emulator/index.ts";
import { at, sending, until } from "../../test/harness.ts";
import { type RunningPersonal, startPersonal } from "../../test/running-personal.ts";

const { ada: ADA, self: SELF } = PERSONAL_CHATS;

let personal: RunningPersonal;
afterEach(() => personal[Symbol.asyncDispose]());

/** How often the account's device has logged in. */
function logins(): number {
  return personal.calls("iq passive set active").length;
}

/** The folders with credentials that are there. */
function sessions(): string[] {
  return readdirSync(personal.folder).filter((name) => name.startsWith("session-"));
}

describe("linking a device", () => {
  it("linking needs one scanned code, and leaves credentials only the owner reads", async () => {
    personal = await startPersonal({ isLinked: false });
    expect(await personal.link()).toBe(SELF);
    expect([...personal.emulator.world.devices.keys()]).toEqual([1]);
    const files = readdirSync(personal.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    expect(files.map(({ name }) => name).sort()).toEqual(["creds.json", "keys.jsonl", "linked.json"]);
    for (const { parentPath, name } of files) expect(statSync(join(parentPath, name)).mode & 0o777).toBe(0o600);
    await personal.start();
    expect(personal.adapter.health()).toEqual({ state: "up" });
  });

  it("linking beside a running gateway takes effect at its next start", async () => {
    personal = await startPersonal();
    await personal.link();
    await personal.adapter.send(at(ADA), { text: "From the first device" }, sending("a"));
    expect(sessions()).toHaveLength(2);
    await personal.restart();
    await personal.adapter.send(at(ADA), { text: "From the second device" }, sending("b"));
    expect(personal.emulator.messages(ADA)).toHaveLength(2);
    expect([...personal.emulator.world.devices.keys()]).toEqual([1, 2]);
    expect(personal.adapter.health()).toEqual({ state: "up" });
  });

  it("an unfinished linking leaves the device that was linked before as it is", async () => {
    personal = await startPersonal();
    personal.emulator.fail({ operation: "connect", kind: { is: "break" } });
    await expect(personal.link()).rejects.toMatchObject({
      code: "PLUGIN_COMMAND_FAILED",
      message: expect.stringContaining("cannot be reached"),
    });
    expect(sessions()).toHaveLength(1);
    await personal.restart();
    expect(personal.adapter.health()).toEqual({ state: "up" });
  });
});

describe("credentials that a disk has damaged", () => {
  it("damaged credentials are reported; a newly linked device works at once", async () => {
    personal = await startPersonal();
    await personal.adapter.stop();
    const [name = ""] = sessions();
    writeFileSync(join(personal.folder, name, "creds.json"), "{");
    await expect(personal.restart()).rejects.toMatchObject({
      code: "PLATFORM_UNAVAILABLE",
      message: expect.stringMatching(/creds\.json cannot be read; run `hermes whatsapp link`/),
    });
    await personal.link();
    await personal.restart();
    expect(personal.adapter.health()).toEqual({ state: "up" });
  });

  it("missing credentials are reported as no linked device", async () => {
    personal = await startPersonal();
    await personal.adapter.stop();
    const [name = ""] = sessions();
    rmSync(join(personal.folder, name, "creds.json"));
    await expect(personal.restart()).rejects.toMatchObject({ message: expect.stringContaining("No device is linked") });
  });
});

describe("a version that WhatsApp no longer takes", () => {
  const REVISION = 2_099_999_999;

  /** WhatsApp's web page, as far as it tells its version. */
  function stubPage(body: string): void {
    const { fetch } = globalThis;
    vi.stubGlobal("fetch", async (...[input, init]: Parameters<typeof fetch>) =>
      String(input) === "https://web.whatsapp.com/sw.js" ? new Response(body) : fetch(input, init),
    );
  }
  afterEach(() => vi.unstubAllGlobals());

  it("an outdated version is replaced by that of WhatsApp's web page", async () => {
    stubPage(`{"client_revision":${REVISION}}`);
    personal = await startPersonal({ isLinked: false });
    personal.emulator.server.oldestRevision = REVISION;
    expect(await personal.link()).toBe(SELF);
    await personal.start();
    expect(personal.adapter.health()).toEqual({ state: "up" });
  });

  it("a rejected version without a newer one hints at an update", async () => {
    stubPage("nothing that is known");
    personal = await startPersonal({ isLinked: false });
    personal.emulator.server.oldestRevision = REVISION;
    await expect(personal.link()).rejects.toMatchObject({ hint: "Update @hermes/plugin-whatsapp." });
    personal.emulator.server.oldestRevision = 0;
    await personal.link();
    personal.emulator.server.oldestRevision = REVISION;
    await expect(personal.start()).rejects.toMatchObject({
      message: expect.stringContaining("update @hermes/plugin-whatsapp"),
    });
  });
});

describe("the start", () => {
  it("the start without a linked device says how to link one", async () => {
    personal = await startPersonal({ isLinked: false });
    await expect(personal.start()).rejects.toMatchObject({
      code: "PLATFORM_UNAVAILABLE",
      message: expect.stringContaining("hermes whatsapp link"),
    });
    expect(personal.adapter.health()).toMatchObject({
      state: "down",
      detail: expect.stringContaining("scan the code"),
    });
  });

  it("connects to no server whose certificate is not signed by the right key", async () => {
    personal = await startPersonal({ options: { certificateRoot: "ab".repeat(32) }, isLinked: false });
    await personal.link();
    await expect(personal.start()).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  });
});

describe("a connection that ends", () => {
  it("reconnects seldom while another program uses the credentials, and says so", async () => {
    personal = await startPersonal();
    let expected = logins();
    for (const waitMs of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
      personal.emulator.replace();
      await until(() => personal.adapter.health().state === "down");
      expect(personal.adapter.health().detail).toContain("in use elsewhere");
      await expect(personal.adapter.send(at(ADA), { text: "Hi" }, sending())).rejects.toMatchObject({
        code: "PLATFORM_UNAVAILABLE",
        message: expect.stringContaining("in use elsewhere"),
      });
      await until(() => personal.clock.isWaiting(waitMs));
      await personal.clock.advance(waitMs - 1);
      expect(logins()).toBe(expected);
      await personal.clock.advance(1);
      await until(() => personal.adapter.health().state === "up");
      expect(logins()).toBe(++expected);
    }
    await personal.adapter.send(at(ADA), { text: "Back again" }, sending());
    expect(personal.emulator.messages(ADA)).toMatchObject([{ text: "Back again" }]);
    expect(personal.emulator.server.sessions).toHaveLength(1);
  });

  it("no reconnect happens while another process has the account", async () => {
    personal = await startPersonal();
    const before = logins();
    personal.holdsAccount = false;
    personal.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await until(() => personal.adapter.health().state === "down");
    await personal.clock.advance(10 * 60_000);
    expect(logins()).toBe(before);
    personal.holdsAccount = true;
    await personal.clock.advance(1_000);
    await until(() => personal.adapter.health().state === "up");
    expect(logins()).toBe(before + 1);
  });

  it("because WhatsApp asks for a new one is made again at once", async () => {
    personal = await startPersonal();
    personal.emulator.restart();
    await until(() => logins() === 3 && personal.adapter.health().state === "up");
  });

  it("reconnects a second after each loss, with one socket at a time", async () => {
    personal = await startPersonal();
    for (let times = 1; times <= 3; times++) {
      personal.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
      await until(() => personal.adapter.health().state === "down");
      expect(personal.adapter.health().detail).toMatch(/Not receiving: .*lost/);
      await personal.clock.advance(1_000);
      await until(() => personal.adapter.health().state === "up");
    }
    // Nothing of the sockets before wakes up and connects beside the one that is there.
    await personal.clock.advance(10 * 60_000);
    expect(logins()).toBe(5);
    expect(personal.emulator.server.sessions).toHaveLength(1);
  });

  it("a connection is tried again at growing intervals while the server is away", async () => {
    personal = await startPersonal();
    personal.emulator.fail({ operation: "connect", times: 1_000, kind: { is: "break" } });
    personal.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    for (const seconds of [1, 2, 4]) {
      await until(() => personal.clock.isWaiting(seconds * 1_000));
      await personal.clock.advance(seconds * 1_000);
    }
    personal.emulator.heal();
    await until(() => personal.clock.isWaiting(8_000));
    await personal.clock.advance(8_000);
    await until(() => personal.adapter.health().state === "up");
  });

  it("because WhatsApp has closed the account is tried each hour; the health says why", async () => {
    personal = await startPersonal();
    personal.emulator.ban();
    await until(() => personal.clock.isWaiting(1_000));
    await personal.clock.advance(1_000);
    await until(() => personal.adapter.health().detail?.includes("it says why") === true);
    await until(() => personal.emulator.server.sessions.length === 0 && personal.clock.isWaiting(60 * 60_000));
    const before = personal.emulator.log.length;
    await personal.clock.advance(60 * 60_000 - 1);
    expect(personal.emulator.log).toHaveLength(before);
    personal.emulator.server.isBanned = false;
    await personal.clock.advance(1);
    await until(() => personal.adapter.health().state === "up");
    await personal.adapter.send(at(ADA), { text: "Back again" }, sending());
    expect(personal.emulator.messages(ADA)).toMatchObject([{ text: "Back again" }]);
  });

  it("keeps the credentials of a removed device aside, and resumes once linked again", async () => {
    personal = await startPersonal();
    personal.emulator.logOut();
    await until(() => personal.adapter.health().state === "down");
    await until(() => personal.adapter.health().detail?.includes("hermes whatsapp link") === true);
    expect(sessions()).toHaveLength(1);
    expect(existsSync(join(personal.folder, "linked.json"))).toBe(false);
    await personal.link();
    await personal.clock.advance(5_000);
    await until(() => personal.adapter.health().state === "up");
    await personal.adapter.send(at(ADA), { text: "Back" }, sending());
    expect(personal.emulator.messages(ADA)).toMatchObject([{ text: "Back" }]);
  });
});
