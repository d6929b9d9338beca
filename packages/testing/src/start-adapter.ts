import { cpSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  type AdapterEvents,
  type CommandInfo,
  type InboundMessage,
  NO_HISTORY,
  type PlatformAdapter,
  type PlatformError,
  type PluginDeps,
  type Press,
  type SessionHistory,
} from "@hermes/core";
import type { Emulator } from "@hermes/emulator";
import { openIdentities, type TestIdentities } from "./open-identities.ts";
import { pluginDeps } from "./plugin-deps.ts";
import { readingFiles } from "./reading-files.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** An adapter with its own platform, and a Hermes that only records what it receives. */
export interface RunningAdapter<A extends PlatformAdapter, E> extends AsyncDisposable {
  readonly emulator: E;
  /** The adapter's clock, which the test advances. */
  readonly clock: VirtualClock;
  readonly adapter: A;
  /** The plugin's own folder. */
  readonly folder: string;
  readonly identities: TestIdentities;
  /** The messages that Hermes received, oldest first, including those that it failed to store. */
  readonly received: InboundMessage[];
  /** The presses of choices that Hermes received, oldest first. */
  readonly pressed: Press[];
  /** The platform's late delivery statuses for accepted messages. */
  readonly settled: { readonly messageId: string; readonly refusal: PlatformError | null }[];
  /** Chats that got another id: the former id and the new one. */
  readonly moved: (readonly [string, string])[];
  /** Deleted messages, with who deleted them if the platform does not guarantee that it was the author. */
  readonly retracted: { readonly messageId: string; readonly by: string | undefined }[];
  readonly logged: string[];
  /** The errors with which the adapter requested a restart. */
  readonly failures: unknown[];
  /** How Hermes handles a message; by default, resolves at once. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** How Hermes handles a press; by default, resolves at once. */
  onChoose: (press: Press) => Promise<void>;
  /** Whether Hermes lets somebody talk to the agent; by default, everybody. */
  isAllowed: (message: InboundMessage) => boolean;
  /** What Hermes lets be seen of sessions; by default, nothing. */
  history: SessionHistory;
  /** Whether this process has the account. */
  holdsAccount: boolean;
  start(): Promise<void>;
  /** Stops the adapter as its host does. */
  stop(): Promise<void>;
  /** Ends the adapter like a kill: what it writes when it stops is lost. */
  kill(): Promise<void>;
  /** Starts another adapter on the same folder, like a new process, with `changed` options. */
  startAgain(changed?: Record<string, unknown>): Promise<void>;
  /** Stops the adapter and starts another one. */
  restart(changed?: Record<string, unknown>): Promise<void>;
  /** The bodies of the client's calls to a method so far. */
  calls(method: string): Readonly<Record<string, unknown>>[];
  /** Resolves once `isSo` returns true, which real network traffic must bring about. */
  until(isSo: () => boolean): Promise<void>;
  /** Resolves when Hermes has received `count` messages in total. */
  untilReceived(count: number): Promise<InboundMessage[]>;
}

export interface AdapterSetup<A extends PlatformAdapter, E, Options> {
  /** Closed at the end; null if the adapter itself is the platform. */
  readonly emulator: E;
  /** The plugin's schema of options. */
  readonly options: { parse(value: unknown): Options };
  /** Further options of the config, besides the emulator's. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly create: (deps: PluginDeps<Options>) => A;
  readonly clock?: VirtualClock;
  readonly commands?: readonly CommandInfo[];
  /** Prepares the platform before the adapter starts. */
  readonly prepare?: ((emulator: E) => void | Promise<void>) | undefined;
  /** Resolves when a started adapter is ready for use. */
  readonly untilReady?: (running: RunningAdapter<A, E>) => Promise<void>;
  /** When false, the test starts the adapter itself. */
  readonly isStarted?: boolean;
}

const COMMANDS: readonly CommandInfo[] = [
  { name: "new", description: "Begins a new session", argumentHint: "" },
  { name: "resume", description: "Goes on with a session", argumentHint: "[title|number]" },
  { name: "title", description: "Names the session", argumentHint: "[title]" },
  { name: "who-am-i", description: "Says who you are here", argumentHint: "" },
];

/** Milliseconds that anything on the network may take. */
const PATIENCE_MS = 30_000;

/**
 * Starts an adapter against its platform's emulator, in a new folder.
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
  // Separate from the plugin's folder, so that a test can look at that alone.
  const storeFolder = mkdtempSync(join(tmpdir(), "hermes-adapter-store-"));
  const written = { ...emulator?.options, ...config };
  const logged: string[] = [];
  const failures: unknown[] = [];
  const events: AdapterEvents = {
    async receive(message) {
      const isAllowed = running.isAllowed(message);
      const taken = isAllowed ? await takenIn(message) : message;
      running.received.push(taken);
      if (isAllowed) await identities.keep(message.sender);
      await running.onReceive(taken);
      // As Hermes does: it marks nothing as read of those who may not talk, and nothing depends on it.
      const { conversation, messageId } = message;
      if (isAllowed)
        running.adapter.markRead?.(conversation, messageId, AbortSignal.timeout(PATIENCE_MS)).catch(() => {});
    },
    async settle(messageId, refusal) {
      running.settled.push({ messageId, refusal });
    },
    async choose(press) {
      running.pressed.push(press);
      await running.onChoose(press);
    },
    retracted: async (_, messageId, by) => void running.retracted.push({ messageId, by: by?.id }),
    moved: async (from, to) => void running.moved.push([from.chatId, to.chatId]),
    fail: (error) => void failures.push(error),
    holdsAccount: async () => running.holdsAccount,
    history: {
      calls: (...asked) => running.history.calls(...asked),
      outcome: (...asked) => running.history.outcome(...asked),
      earlier: (...asked) => running.history.earlier(...asked),
    },
  };
  /** Reads files as Hermes does: those of whoever may talk. */
  const takenIn = async (message: InboundMessage) =>
    message.attachments === undefined ? message : readingFiles(deps).taken(message);
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
    pressed: [],
    settled: [],
    moved: [],
    retracted: [],
    logged,
    failures,
    onReceive: async () => {},
    onChoose: async () => {},
    isAllowed: () => true,
    history: NO_HISTORY,
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

/** Resolves once `isSo` returns true; rejects with the lines of `logged` if it never does. */
export async function until(isSo: () => boolean, logged: readonly string[] = []): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(["it never came about:", isSo, ...logged].join("\n"));
    await delay(1);
  }
}
