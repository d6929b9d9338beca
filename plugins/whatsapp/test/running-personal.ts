import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterEvents, InboundMessage } from "@hermes/core";
import { createVirtualClock, openIdentities, type TestIdentities, type VirtualClock } from "@hermes/testing";
import { startWhatsAppPersonalEmulator, type WhatsAppPersonalEmulator } from "../emulator/index.ts";
import { PersonalAdapter } from "../src/personal/adapter.ts";
import { linkDevice } from "../src/personal/link.ts";
import { depsFor } from "./harness.ts";

/** A clock that one turns, and that tells for what is waited. */
interface WatchedClock extends VirtualClock {
  /** Whether somebody waits for a timer of this length, in milliseconds. */
  isWaiting(delayMs: number): boolean;
}

/** A started adapter with a WhatsApp of its own, and a Hermes that only notes what it receives. */
export interface RunningPersonal extends AsyncDisposable {
  readonly emulator: WhatsAppPersonalEmulator;
  readonly clock: WatchedClock;
  readonly adapter: PersonalAdapter;
  /** The plugin's. */
  readonly folder: string;
  readonly identities: TestIdentities;
  readonly received: InboundMessage[];
  readonly logged: string[];
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** Another process may have the account. */
  holdsAccount: boolean;
  /** Links a device, as `hermes whatsapp link` does. */
  link(): Promise<string>;
  start(): Promise<void>;
  /** Stops the adapter and starts another one on the same folder, as a new process would. */
  restart(): Promise<void>;
  /** The bodies of the stanzas of a kind so far. */
  calls(method: string): Readonly<Record<string, unknown>>[];
}

/** `prepare` sets the platform up before the device is linked; without `isLinked` nothing is started. */
export async function startPersonal({
  options = {},
  isLinked = true,
}: {
  readonly options?: Record<string, unknown>;
  readonly isLinked?: boolean;
} = {}): Promise<RunningPersonal> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-whatsapp-"));
  // What the plugin keeps is to be told from what Hermes keeps.
  const storeFolder = mkdtempSync(join(tmpdir(), "hermes-whatsapp-store-"));
  const emulator = await startWhatsAppPersonalEmulator();
  const clock = watched(createVirtualClock(Date.now()));
  const logged: string[] = [];
  const identities = await openIdentities(storeFolder, { platform: "whatsapp", options, clock });
  const deps = depsFor({ ...emulator.options, ...options }, { clock, folder, identities }, logged);
  const make = () => new PersonalAdapter(deps);
  const events: AdapterEvents = {
    async receive(message) {
      running.received.push(message);
      await identities.keep(message.sender);
      await running.onReceive(message);
    },
    async settle() {},
    async choose() {},
    async moved() {},
    fail() {},
    holdsAccount: async () => running.holdsAccount,
  };
  const running: RunningPersonal & { adapter: PersonalAdapter } = {
    emulator,
    clock,
    adapter: make(),
    folder,
    identities,
    received: [],
    logged,
    onReceive: async () => {},
    holdsAccount: true,
    link: () => link(emulator, folder, clock),
    start: () => running.adapter.start(events, new AbortController().signal),
    async restart() {
      await running.adapter.stop();
      running.adapter = make();
      await running.start();
    },
    calls: (method) =>
      emulator.log.filter((entry) => entry.method === method).map(({ body }) => body as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      await running.adapter.stop();
      await identities[Symbol.asyncDispose]();
      await emulator.close();
      for (const one of [folder, storeFolder]) rmSync(one, { recursive: true, force: true });
    },
  };
  try {
    if (isLinked) {
      await running.link();
      await running.start();
    }
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

function watched(clock: VirtualClock): WatchedClock {
  const waiting: number[] = [];
  return {
    ...clock,
    setTimer(delayMs, run) {
      waiting.push(delayMs);
      const done = () => void waiting.splice(waiting.indexOf(delayMs), 1);
      const timer = clock.setTimer(delayMs, () => {
        done();
        run();
      });
      return {
        [Symbol.dispose]() {
          if (waiting.includes(delayMs)) done();
          timer[Symbol.dispose]();
        },
      };
    },
    isWaiting: (delayMs) => waiting.includes(delayMs),
  };
}

/** Links a device to the emulator's account, whose phone scans the code at once. */
export function link(
  emulator: WhatsAppPersonalEmulator,
  folder: string,
  clock: VirtualClock = createVirtualClock(Date.now()),
): Promise<string> {
  const { options, logger } = depsFor(emulator.options, { clock, folder }, []);
  return linkDevice({ options, folder, logger, onCode: (code) => emulator.scan(code) });
}
