import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterEvents, InboundMessage, PlatformError } from "@hermes/core";
import { createVirtualClock, openIdentities, type TestIdentities, type VirtualClock } from "@hermes/testing";
import { startWhatsAppCloudEmulator, type WhatsAppCloudEmulator } from "../emulator/index.ts";
import { CloudAdapter } from "../src/cloud/adapter.ts";
import { depsFor, until } from "./harness.ts";

interface Settled {
  readonly messageId: string;
  readonly refusal: PlatformError | null;
}

/** A started adapter with a Cloud API of its own, and a Hermes that only notes what it receives. */
export interface RunningCloud extends AsyncDisposable {
  readonly emulator: WhatsAppCloudEmulator;
  readonly clock: VirtualClock;
  readonly adapter: CloudAdapter;
  readonly received: InboundMessage[];
  readonly settled: Settled[];
  readonly logged: string[];
  /** The callback URL. */
  readonly webhookUrl: string;
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** Whom Hermes lets talk to the agent; everybody unless a test says otherwise. */
  isAllowed: (message: InboundMessage) => boolean;
  readonly identities: TestIdentities;
  readonly folder: string;
  /** Stops the adapter and starts another one on the same folder, as a new process would. */
  restart(): Promise<void>;
  /** The bodies of the calls of a method so far. */
  calls(method: string): Readonly<Record<string, unknown>>[];
}

/** `prepare` sets the platform up before the adapter starts. */
export async function startCloud(
  options: Record<string, unknown> = {},
  prepare: (emulator: WhatsAppCloudEmulator) => void = () => {},
): Promise<RunningCloud> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-whatsapp-"));
  const emulator = await startWhatsAppCloudEmulator();
  prepare(emulator);
  const clock = createVirtualClock(Date.now());
  const logged: string[] = [];
  const identities = await openIdentities(folder, { platform: "whatsapp", options, clock });
  const parts = { clock, folder, identities };
  const make = () => new CloudAdapter(depsFor({ ...emulator.options, ...options }, parts, logged));
  const events: AdapterEvents = {
    async receive(message) {
      running.received.push(message);
      if (running.isAllowed(message)) await identities.keep(message.sender);
      await running.onReceive(message);
    },
    fail() {},
    async choose() {},
    async moved() {},
    async settle(messageId, refusal) {
      running.settled.push({ messageId, refusal });
    },
  };
  const { host, port, path } = emulator.options.webhook;
  const running: RunningCloud & { adapter: CloudAdapter } = {
    emulator,
    clock,
    adapter: make(),
    received: [],
    settled: [],
    logged,
    webhookUrl: `http://${host}:${port}${path}`,
    onReceive: async () => {},
    isAllowed: () => true,
    identities,
    folder,
    async restart() {
      await running.adapter.stop();
      running.adapter = make();
      await running.adapter.start(events, new AbortController().signal);
      await until(() => emulator.isConnected);
    },
    calls: (method) =>
      emulator.log.filter((entry) => entry.method === method).map(({ body }) => body as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      await running.adapter.stop();
      await identities[Symbol.asyncDispose]();
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await running.adapter.start(events, new AbortController().signal);
    await until(() => emulator.isConnected);
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}
