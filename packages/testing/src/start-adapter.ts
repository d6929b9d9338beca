import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type {
  AdapterEvents,
  CommandInfo,
  InboundMessage,
  PlatformAdapter,
  PlatformError,
  PluginDeps,
} from "@hermes/core";
import type { Emulator } from "@hermes/emulator";
import { openIdentities, type TestIdentities } from "./open-identities.ts";
import { pluginDeps } from "./plugin-deps.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** An adapter with a platform of its own, and a Hermes that only notes what it receives. */
export interface RunningAdapter<A extends PlatformAdapter, E> extends AsyncDisposable {
  readonly emulator: E;
  /** The adapter's clock, which the test turns. */
  readonly clock: VirtualClock;
  readonly adapter: A;
  /** The plugin's own folder. */
  readonly folder: string;
  readonly identities: TestIdentities;
  /** What Hermes received, oldest first; what it could not keep as well. */
  readonly received: InboundMessage[];
  /** What the platform said later about messages that it had taken. */
  readonly settled: { readonly messageId: string; readonly refusal: PlatformError | null }[];
  /** Chats that got another id: the former one, and the one that they have now. */
  readonly moved: (readonly [string, string])[];
  /** Messages that were deleted, and by whom where the platform does not vouch for it. */
  readonly retracted: { readonly messageId: string; readonly by: string | undefined }[];
  readonly logged: string[];
  /** Errors with which the adapter asked for a restart. */
  readonly failures: unknown[];
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** Whom Hermes lets talk to the agent; everybody unless a test says otherwise. */
  isAllowed: (message: InboundMessage) => boolean;
  /** Whether this process has the account. */
  holdsAccount: boolean;
  start(): Promise<void>;
  /** Ends it as its host does. */
  stop(): Promise<void>;
  /** Ends it as a kill does: what it would write down when it stops is not there. */
  kill(): Promise<void>;
  /** Starts another adapter on the same folder, as a new process would. `changed`: options that differ now. */
  startAgain(changed?: Record<string, unknown>): Promise<void>;
  /** Stops the adapter, and starts another one. */
  restart(changed?: Record<string, unknown>): Promise<void>;
  /** The bodies of the client's calls of a method so far. */
  calls(method: string): Readonly<Record<string, unknown>>[];
  /** Resolves when something that the network brings about is so. */
  until(isSo: () => boolean): Promise<void>;
  /** Resolves when Hermes has received so many messages in all. */
  untilReceived(count: number): Promise<InboundMessage[]>;
}

export interface AdapterSetup<A extends PlatformAdapter, E, Options> {
  /** Closed at the end; null where the platform is nobody's but the adapter's. */
  readonly emulator: E;
  /** The plugin's. */
  readonly options: { parse(value: unknown): Options };
  /** What the config has beside the emulator's options. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly create: (deps: PluginDeps<Options>) => A;
  readonly clock?: VirtualClock;
  readonly commands?: readonly CommandInfo[];
  /** Sets the platform up before the adapter starts. */
  readonly prepare?: ((emulator: E) => void | Promise<void>) | undefined;
  /** Resolves when an adapter that has started can be used. */
  readonly untilReady?: (running: RunningAdapter<A, E>) => Promise<void>;
  /** False: the test starts it. */
  readonly isStarted?: boolean;
}

const COMMANDS: readonly CommandInfo[] = [
  { name: "new", description: "Begins a new session", argumentHint: "" },
  { name: "resume", description: "Goes on with a session", argumentHint: "[title|number]" },
  { name: "title", description: "Names the session", argumentHint: "[title]" },
  { name: "who-am-i", description: "Says who you are here", argumentHint: "" },
];

/** How long anything that the network brings about may take, in milliseconds. */
const PATIENCE_MS = 8_000;

/**
 * Starts an adapter against its platform's emulator, in a folder of its own.
 *
 * ```ts
 * await using pager = await startAdapter({
 *   emulator: await startPagerEmulator(),
 *   options: pagerOptions,
 *   create: (deps) => new PagerAdapter(deps),
 * });
 * await pager.emulator.receive({ chatId: "home", text: "Hello" });
 * const [message] = await pager.untilReceived(1);
 * ```
 */
export async function startAdapter<A extends PlatformAdapter, E extends Emulator | null, Options>({
  emulator,
  options,
  config = {},
  create,
  clock = createVirtualClock(Date.now()),
  commands = COMMANDS,
  prepare,
  untilReady,
  isStarted = true,
}: AdapterSetup<A, E, Options>): Promise<RunningAdapter<A, E>> {
  await prepare?.(emulator);
  const folder = mkdtempSync(join(tmpdir(), "hermes-adapter-"));
  // What the plugin keeps is to be told from what Hermes keeps.
  const storeFolder = mkdtempSync(join(tmpdir(), "hermes-adapter-store-"));
  const written = { ...emulator?.options, ...config };
  const logged: string[] = [];
  const failures: unknown[] = [];
  const events: AdapterEvents = {
    async receive(message) {
      running.received.push(message);
      if (running.isAllowed(message)) await identities.keep(message.sender);
      await running.onReceive(message);
    },
    async settle(messageId, refusal) {
      running.settled.push({ messageId, refusal });
    },
    async choose() {},
    retracted: async (_, messageId, by) => void running.retracted.push({ messageId, by: by?.id }),
    moved: async (from, to) => void running.moved.push([from.chatId, to.chatId]),
    fail: (error) => void failures.push(error),
    holdsAccount: async () => running.holdsAccount,
  };
  const platform = emulator?.platform ?? "web";
  const identities = await openIdentities(storeFolder, { platform, options: config, clock });
  const given = { options: options.parse(written), clock, folder, commands, identities };
  const deps = pluginDeps<Options>(given, logged);
  const make = (changed?: Record<string, unknown>) =>
    create(changed ? { ...deps, options: options.parse({ ...written, ...changed }) } : deps);
  let leaving = new AbortController();
  const running: RunningAdapter<A, E> & { adapter: A } = {
    emulator,
    clock,
    adapter: make(),
    folder,
    identities,
    received: [],
    settled: [],
    moved: [],
    retracted: [],
    logged,
    failures,
    onReceive: async () => {},
    isAllowed: () => true,
    holdsAccount: true,
    async start() {
      leaving = new AbortController();
      await running.adapter.start(events, leaving.signal);
      await untilReady?.(running);
    },
    async stop() {
      leaving.abort();
      await running.adapter.stop();
    },
    async kill() {
      const asItWas = `${folder}.as-it-was`;
      cpSync(folder, asItWas, { recursive: true });
      await running.stop();
      rmSync(folder, { recursive: true });
      renameSync(asItWas, folder);
    },
    async startAgain(changed) {
      running.adapter = make(changed);
      await running.start();
    },
    async restart(changed) {
      await running.stop();
      await running.startAgain(changed);
    },
    calls: (method) =>
      (emulator?.log ?? [])
        .filter((entry) => entry.method === method)
        .map(({ body }) => body as Record<string, unknown>),
    until: (isSo) => until(isSo, logged),
    async untilReceived(count) {
      await running.until(() => running.received.length >= count);
      return running.received;
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      await identities[Symbol.asyncDispose]();
      await emulator?.close();
      for (const one of [folder, storeFolder]) rmSync(one, { recursive: true, force: true });
    },
  };
  try {
    if (isStarted) await running.start();
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

/** Resolves when something that the network brings about is so; `logged` is said when it never is. */
export async function until(isSo: () => boolean, logged: readonly string[] = []): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(["it never came about:", isSo, ...logged].join("\n"));
    await delay(1);
  }
}
