import type { Examination } from "@hermes/core";
import { setupContext } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { CHATS, PEOPLE, type SignalEmulator, startSignalEmulator } from "../emulator/index.ts";
import { startSignal } from "../test/running-signal.ts";
import { signalOptions } from "./config.ts";
import { setup } from "./setup.ts";

async function examine(config: object): Promise<{ account: Examination["account"]; told: string[] }> {
  const { account, findings } = await setup.examine(signalOptions.parse(config), setupContext());
  const told = findings.map(
    ({ state, message, hint }) => `${state}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
  );
  return { account, told };
}

/** What is found with an emulator that was prepared. */
async function found(config: object, prepare: (emulator: SignalEmulator) => void = () => {}): Promise<string[]> {
  await using emulator = await startSignalEmulator();
  prepare(emulator);
  const { told } = await examine({ ...emulator.options, ...config });
  return told.map((line) => line.replaceAll(emulator.url, "URL"));
}

const IN_ORDER = ["ok: signal-cli 0.14.9 answers at URL.", `ok: The daemon serves ${PEOPLE.self.number}.`];

describe("the set-up of Signal", () => {
  it("asks questions whose answers the schema takes", () => {
    for (const { questions } of setup.ways) {
      const answers = Object.fromEntries(questions.map(({ option, default: initial }) => [option, initial]));
      expect(signalOptions.safeParse(answers).success).toBe(true);
      expect(questions.map(({ option }) => option)).toEqual(["url", "account"]);
    }
  });

  it("finds the account, with a link that opens the chat with it", async () => {
    await using emulator = await startSignalEmulator();
    const { account, told } = await examine({ ...emulator.options, account: "+49 1555 0000000" });
    expect(account).toEqual({
      id: PEOPLE.self.uuid,
      name: PEOPLE.self.number,
      link: `https://signal.me/#p/${PEOPLE.self.number}`,
    });
    expect(told.map((line) => line.replace(emulator.url, "URL"))).toEqual(IN_ORDER);
  });

  it.each([
    [PEOPLE.ada.number, `ok: ${PEOPLE.ada.number} is on Signal, and the account has met them.`],
    [PEOPLE.self.number, "ok: The home channel is the Note to Self of the account."],
  ])("finds the home channel %s in order", async (homeChannel, line) => {
    expect(await found({ homeChannel })).toEqual([...IN_ORDER, line]);
  });

  it("finds a group in order that is meant to be shared, with people to answer", async () => {
    const homeChannel = { chatId: CHATS.group, shared: true };
    expect(await found({ homeChannel, allowedUsers: [PEOPLE.ada.uuid] })).toEqual([
      ...IN_ORDER,
      'ok: The home channel is the group "The team", and the account may write there.',
      "ok: It has 2 other members, who read what is handed off there.",
    ]);
  });

  it("names a group that is not meant to be shared, and in which nobody is answered", async () => {
    expect((await found({ homeChannel: { chatId: CHATS.group } })).slice(0, 2)).toEqual([
      "problem: The home channel is a group: its 2 other members would read each session that is handed off. If that is intended, set `shared: true` on it.",
      "warning: The config names nobody: nobody is answered in the group. Name people by their numbers or UUIDs in `allowedUsers` or `operators`.",
    ]);
  });

  it("names a home channel that requires a thread, which Signal does not have", async () => {
    const [problem] = await found({ homeChannel: { chatId: CHATS.ada, requireThread: true } });
    expect(problem).toMatch(/^problem: Signal has no threads, .* no handoff can land\. Leave `requireThread` out/);
  });

  it("asks Signal for a number that the account has not met", async () => {
    const homeChannel = PEOPLE.ada.number;
    const unmet = (emulator: SignalEmulator) => emulator.setPerson(CHATS.ada, { isKnown: false });
    expect(await found({ homeChannel }, unmet)).toContain(`ok: ${homeChannel} is on Signal.`);
    const [problem] = await found({ homeChannel: "+4915559999999" });
    expect(problem).toMatch(/^problem: .*\+4915559999999 is not registered with Signal\. Look at the number or UUID/);
  });

  it("warns that a UUID nobody has met shows with the first message", async () => {
    const [warning] = await found({ homeChannel: "99999999-aaaa-4bbb-8ccc-000000000009" });
    expect(warning).toMatch(
      /^warning: Whether 9+-.* shows with the first message.* Write to Hermes once from that phone\.$/,
    );
  });

  it.each([
    ["a person who is blocked", CHATS.ada, /has blocked .*`signal-cli unblock`/],
    ["a group that the account is not in", CHATS.group, /not a member of "The team".*Add it to the group again/],
    ["a group in which admins alone write", CHATS.otherGroup, /only admins may write in "Another group".*an admin/],
    ["a group that there is not", Buffer.alloc(32, 7).toString("base64"), /the account is in no such group/],
  ])("names %s as a problem of the home channel", async (_what, homeChannel, line) => {
    const told = await found({ homeChannel }, (emulator) => {
      emulator.setPerson(CHATS.ada, { isBlocked: true });
      emulator.setGroup(CHATS.group, { isMember: false });
      emulator.setGroup(CHATS.otherGroup, { onlyAdminsSend: true });
    });
    expect(told).toEqual([expect.stringMatching(line), ...IN_ORDER]);
    expect(told[0]).toMatch(/^problem: /);
  });

  it.each<[string, (emulator: SignalEmulator) => void, object, string]>([
    [
      "an account that the daemon does not serve",
      () => {},
      { account: "+4915557777777" },
      `problem: Its daemon does not serve the account +4915557777777. Name one as \`account\` that it serves: ${PEOPLE.self.number}.`,
    ],
    [
      "several accounts and none chosen",
      (emulator) => emulator.setDaemon({ accounts: [PEOPLE.self.number, PEOPLE.ada.number] }),
      {},
      `problem: Its daemon serves several accounts (${PEOPLE.self.number}, ${PEOPLE.ada.number}). Name one of them as \`account\`.`,
    ],
    [
      "a daemon without an account",
      (emulator) => emulator.setDaemon({ accounts: [] }),
      {},
      "problem: Its daemon serves no account yet. Link one with `signal-cli link`, or register one.",
    ],
    [
      "signal-cli-rest-api in the daemon's place",
      (emulator) => emulator.setDaemon({ flavour: "signal-cli-rest-api" }),
      {},
      "problem: What answers at URL is signal-cli-rest-api, which speaks another protocol. Start `signal-cli daemon --http` (0.11.11 or newer) and name its address as `url`.",
    ],
    [
      "an account that was unlinked",
      (emulator) => emulator.fail({ operation: "getUserStatus", kind: { is: "refuse", code: "UNAUTHORIZED" } }),
      {},
      "problem: signal does not permit it: Signal no longer knows the account of signal-cli: it was unlinked, or registered elsewhere. Link it again with `signal-cli link`, or register it anew, and start the daemon again.",
    ],
  ])("names %s", async (_what, prepare, config, line) => {
    expect((await found(config, prepare))[0]).toBe(line);
  });

  it("warns of a signal-cli that repeats nothing", async () => {
    const old = (emulator: SignalEmulator) => emulator.setDaemon({ version: "0.13.4" });
    expect((await found({}, old))[0]).toBe(
      "warning: signal-cli 0.13.4 does not repeat what is lost when its connection to Hermes breaks. Update signal-cli to 0.14.9 or newer.",
    );
  });

  it("accepts a daemon that was started for one account as it is", async () => {
    await using emulator = await startSignalEmulator();
    emulator.setDaemon({ accounts: null });
    const { account, told } = await examine(emulator.options);
    expect(account).toBeNull();
    expect(told).toContain("ok: The daemon serves one account, and does not name it.");
  });

  it("tells how to start a daemon that is not there", async () => {
    const emulator = await startSignalEmulator();
    const { url } = emulator;
    await emulator[Symbol.asyncDispose]();
    expect((await examine({ url })).told).toEqual([
      "problem: The connection to signal-cli failed (ECONNREFUSED). Start `signal-cli daemon --http 127.0.0.1:8080 --receive-mode on-connection`, and name its address as `url`.",
    ]);
  });

  it("leaves every message to a gateway that runs, and sends nothing", async () => {
    await using signal = await startSignal({ homeChannel: CHATS.ada });
    const { told } = await examine({ ...signal.emulator.options, homeChannel: CHATS.ada });
    expect(told).toHaveLength(3);
    expect((await signal.heard({ chatId: CHATS.ada, text: "Hello" }))?.text).toBe("Hello");
    expect(signal.emulator.feed.isConnected).toBe(true);
    expect(signal.calls("send")).toEqual([]);
    expect(signal.calls("sendTyping")).toEqual([]);
  });
});
