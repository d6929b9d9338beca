import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PERSONAL_CHATS } from "../../emulator/index.ts";
import { examine } from "../found.ts";
import { startPersonal } from "../running-personal.ts";

const LINKED = `ok: This machine is linked to +${PERSONAL_CHATS.self}. Whether WhatsApp still lets it in shows when a gateway connects.`;

describe("what is found of a linked device", () => {
  it("a machine that was never linked is told how to, and no file is made", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-whatsapp-"));
    const { account, told } = await examine({ transport: "personal" }, folder);
    expect(account).toBeNull();
    expect(told).toEqual([
      "problem: No device is linked yet. Run `hermes whatsapp link`, and scan the code with the phone.",
    ]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it("the account is known beside a gateway, which stays connected", async () => {
    await using personal = await startPersonal();
    const { emulator, folder } = personal;
    const { account, told } = await examine({ ...emulator.options, homeChannel: PERSONAL_CHATS.self }, folder);
    const number = PERSONAL_CHATS.self;
    expect(account).toEqual({ id: number, name: `+${number}`, link: `https://wa.me/${number}` });
    expect(told).toEqual([LINKED, "ok: The home channel is the account's chat with itself."]);
    await emulator.receive({ chatId: PERSONAL_CHATS.ada, text: "Hello" });
    expect((await personal.untilReceived(1))[0]?.text).toBe("Hello");
    expect(emulator.server.sessions).toHaveLength(1);
  });

  it.each([
    [PERSONAL_CHATS.ada, `ok: Whether +${PERSONAL_CHATS.ada} is on WhatsApp shows when a gateway connects.`],
    [
      PERSONAL_CHATS.group,
      `ok: Whether the account may write in ${PERSONAL_CHATS.group} shows when a gateway connects.`,
    ],
    [
      "Ada",
      'problem: The home channel "Ada" is no number. Write a number with its country code, such as +49 170 1234567, or a group\'s id (…@g.us).',
    ],
  ])("the home channel %s is looked at as far as can be told", async (homeChannel, line) => {
    expect((await examine({ transport: "personal", homeChannel })).told).toContain(line);
  });

  it("a group is a problem where nobody said that others may read along", async () => {
    const { told } = await examine({ transport: "personal", homeChannel: { chatId: PERSONAL_CHATS.group } });
    expect(told).toContain(
      "problem: The home channel is a group: its members would read each session that is handed off. If that is intended, set `shared: true` on it.",
    );
    expect(told.at(-2)).toMatch(/^warning: The config names nobody: nobody is answered in the group\./);
  });

  it("a home channel that requires a thread is a problem, since there are none", async () => {
    const homeChannel = { chatId: PERSONAL_CHATS.ada, requireThread: true };
    expect((await examine({ transport: "personal", homeChannel })).told).toContainEqual(
      expect.stringMatching(/^problem: WhatsApp has no threads, .* no handoff can land\./),
    );
  });

  it("credentials that cannot be read are a problem, and are never shown", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-whatsapp-"));
    mkdirSync(join(folder, "session-1"));
    writeFileSync(join(folder, "linked.json"), '{"folder": "session-1"}');
    writeFileSync(join(folder, "session-1/creds.json"), '{"noiseKey": "a private key"');
    const { told } = await examine({ transport: "personal" }, folder);
    rmSync(folder, { recursive: true });
    expect(told).toEqual([
      "problem: The credentials of the linked device cannot be read. Run `hermes whatsapp link`, and scan the code with the phone.",
    ]);
  });
});
