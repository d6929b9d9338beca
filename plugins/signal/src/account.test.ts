import type { PlatformError } from "@hermes/core";
import type { VirtualClock } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { CHATS, PEOPLE, type SignalEmulator } from "../emulator/index.ts";
import { type RunningSignal, startSignal } from "../test/running-signal.ts";

const OTHER = "+4915558888888";

async function started<T>(
  options: Record<string, unknown>,
  prepare: (emulator: SignalEmulator, clock: VirtualClock) => void,
  look: (signal: RunningSignal) => T | Promise<T>,
): Promise<T> {
  await using signal = await startSignal(options, prepare);
  return await look(signal);
}

function refusal(options: Record<string, unknown>, prepare: (emulator: SignalEmulator) => void) {
  return expect(started(options, prepare, () => {})).rejects as unknown as {
    toMatchObject(error: Partial<Record<keyof PlatformError, unknown>>): Promise<void>;
  };
}

describe("whatever answers at the address", () => {
  it("the start recognises the REST wrapper and says what to run instead", async () => {
    await refusal({}, (emulator) => emulator.setDaemon({ flavour: "signal-cli-rest-api" })).toMatchObject({
      code: "PLATFORM_UNAVAILABLE",
      message: expect.stringMatching(/is signal-cli-rest-api, .*start `signal-cli daemon --http`.* as `url`/),
    });
  });

  it("the start says that the address is no signal-cli", async () => {
    await refusal({}, (emulator) => emulator.setDaemon({ flavour: "something else" })).toMatchObject({
      code: "PLATFORM_UNAVAILABLE",
      message: expect.stringContaining("is no signal-cli (it answered 404)"),
    });
  });
});

describe("signal-cli itself", () => {
  it.each(["0.11.10", "0.9.2"])("signal-cli %s is refused as too old", async (version) => {
    await refusal({}, (emulator) => emulator.setDaemon({ version })).toMatchObject({
      message: expect.stringMatching(/too old; start .*0\.11\.11 or newer/),
    });
  });

  it.each(["0.11.11", "0.13.24", "1.0.0-rc1"])("signal-cli %s is accepted", async (version) => {
    const prepare = (emulator: SignalEmulator) => emulator.setDaemon({ version });
    expect(await started({}, prepare, (signal) => signal.adapter.health())).toEqual({ state: "up" });
  });
});

describe("the account that Hermes writes as", () => {
  it("the only account that the daemon serves is used", async () => {
    const note = await started(
      {},
      () => {},
      (signal) => signal.adapter.homeConversation({ chatId: PEOPLE.self.number }),
    );
    expect(note.chatId).toBe(PEOPLE.self.uuid);
  });

  it("the account must be named if there are several, and is sent with every call", async () => {
    const several = (emulator: SignalEmulator) => emulator.setDaemon({ accounts: [PEOPLE.self.number, OTHER] });
    await refusal({}, several).toMatchObject({
      message: expect.stringMatching(/several accounts .*name one .*`account`/),
    });
    await started({ account: PEOPLE.self.number }, several, async (signal) => {
      await signal.adapter.homeConversation({ chatId: CHATS.ada });
      expect(signal.calls("events")).toMatchObject([{ account: PEOPLE.self.number }]);
      expect(signal.calls("listContacts").at(-1)).toMatchObject({ account: PEOPLE.self.number });
      const dataMessage = { timestamp: 1, message: "For the other account" };
      signal.emulator.feed.push({ account: OTHER, envelope: { sourceUuid: CHATS.ada, timestamp: 1, dataMessage } });
      expect((await signal.heard({ chatId: CHATS.ada, text: "For this one" }))?.text).toBe("For this one");
    });
  });

  it("an account that the daemon lacks is refused, with those it serves", async () => {
    await refusal({ account: OTHER }, () => {}).toMatchObject({
      message: expect.stringContaining(
        `does not serve the account ${OTHER}; name one as \`account\` that it serves: ${PEOPLE.self.number}`,
      ),
    });
    await refusal({}, (emulator) => emulator.setDaemon({ accounts: [] })).toMatchObject({
      message: expect.stringContaining("signal-cli link"),
    });
  });

  it("learns the account from the first message of a daemon that lists none", async () => {
    await started(
      {},
      (emulator) => emulator.setDaemon({ accounts: null }),
      async (signal) => {
        const mentioned = await signal.heard({ chatId: CHATS.group, text: "Hello", mentions: true });
        expect(mentioned).toMatchObject({ isAddressed: true, text: "Hello" });
        expect((await signal.adapter.homeConversation({ chatId: PEOPLE.self.number })).chatId).toBe(PEOPLE.self.uuid);
      },
    );
  });

  it("stands in every key where the config names it", async () => {
    await started(
      { account: PEOPLE.self.number },
      () => {},
      async (signal) => {
        const home = await signal.adapter.homeConversation({ chatId: CHATS.ada });
        const message = await signal.heard({ chatId: CHATS.ada, text: "Hello" });
        expect(home.account).toBe(PEOPLE.self.number);
        expect(message?.conversation).toEqual(home);
      },
    );
  });
});

describe("a signal-cli that is offline", () => {
  it("an offline signal-cli delays the start by at most 10 s", async () => {
    let waited = 0;
    let turning: NodeJS.Timeout | undefined;
    const prepare = (emulator: SignalEmulator, clock: VirtualClock) => {
      emulator.setPerson(CHATS.ada, { isKnown: false });
      emulator.fail({ operation: "getUserStatus", kind: { is: "hang" } });
      turning = setInterval(() => {
        waited += 100;
        void clock.advance(100);
      }, 1);
    };
    await started({ allowedUsers: [PEOPLE.ada.number] }, prepare, async (signal) => {
      clearInterval(turning);
      signal.emulator.heal();
      expect(waited).toBeLessThan(15_000);
      expect(signal.logged.join("\n")).toContain("whose number this is, is not known");
      expect(signal.adapter.health()).toEqual({ state: "up" });
    });
  });
});
