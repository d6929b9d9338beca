import {
  type AdapterEvents,
  type Conversation,
  HermesError,
  type Identities,
  type InboundMessage,
  isDoneWithin,
  type PlatformAdapter,
  type PlatformError,
  type PluginDeps,
  type PluginDescriptor,
  type Press,
  reasonOf,
  systemClock,
} from "@hermes/core";
import { shown } from "./check.ts";
import { createHastyClock, type HastyClock } from "./hasty-clock.ts";
import type { Life } from "./life.ts";
import { shownPlace, type Trail } from "./trail.ts";

export type TappedCall = "send" | "edit" | "createHandoffThread";

export interface NotedCall {
  readonly call: TappedCall;
  readonly startedAt: number;
  endedAt: number | null;
  error: unknown;
}

/** Sits between a gateway and its adapter: records what passes, and blocks it when a proof asks for that. */
export class Tap {
  readonly #life: Life;
  readonly #trail: Trail;
  readonly #aborted = new AbortController();
  readonly received: InboundMessage[] = [];
  /** What Hermes has kept of what became of messages. */
  readonly settled: {
    readonly messageId: string;
    readonly refusal: PlatformError | null;
    readonly key: string | undefined;
  }[] = [];
  readonly pressed: Press[] = [];
  /** The ids of messages that Hermes was told were deleted. */
  readonly retracted: string[] = [];
  readonly calls: NotedCall[] = [];
  adapter: PlatformAdapter | null = null;
  /** Hermes accepts no message, edit or deletion until this resolves. */
  heldBack: Promise<void> | null = null;
  /** Whether nobody can say who is who while the adapter is asked to send the next message. */
  isStoreAwayAtSend = false;
  #isStoreAway = false;
  /** The number of next messages that Hermes fails to accept. */
  refusing = 0;
  /** How often each kind of question to Hermes fails first, as when its store is busy: who somebody is, a message, a press. */
  failingEach = 0;
  /** False while the process has lost the account: no message is accepted, and an adapter that asks is told so. */
  holdsAccount = true;
  /** How often the adapter asked whether the process has the account. */
  askedForAccount = 0;
  /** Kills the process once the platform has answered the next such call, before the result is recorded. */
  deadlyCall: TappedCall | null = null;
  /** Called when the deadly call was answered. */
  onDeadlyCall: () => void = () => {};
  #clock: HastyClock | null = null;
  readonly #failures = new Map<string, number>();

  constructor(life: Life, trail: Trail) {
    this.#life = life;
    this.#trail = trail;
  }

  /** Wraps a plugin so that this tap is on the adapter that it creates. */
  on(descriptor: PluginDescriptor): PluginDescriptor {
    const create = async (deps: PluginDeps) => {
      this.#clock = createHastyClock(deps.clock);
      const own = { ...deps, clock: this.#clock, identities: this.#identities(deps.identities) };
      return this.#tap(await descriptor.create(own));
    };
    // A copy with all properties, including the brand.
    return Object.create(Object.getPrototypeOf(descriptor), {
      ...Object.getOwnPropertyDescriptors(descriptor),
      create: { value: create, enumerable: true },
    });
  }

  /** Makes the adapter's timers fire `ms` milliseconds earlier. */
  hasten(ms: number): void {
    this.#clock?.hasten(ms);
  }

  /** Disconnects from the platform like the end of a process. */
  async cut(): Promise<void> {
    this.#aborted.abort();
    const adapter = this.adapter;
    if (adapter === null) return;
    await isDoneWithin(systemClock, 3_000, Promise.resolve(adapter.stop())).catch(() => {});
  }

  #identities(identities: Identities): Identities {
    const failing =
      (real: (...args: never[]) => Promise<unknown>) =>
      (...args: never[]) => {
        if (this.#isStoreAway) return Promise.reject(storeBusy());
        return this.#asked("identities").then(() => real(...args));
      };
    const entries = Object.entries(identities).map(([name, real]) => [name, failing(real)]);
    return Object.fromEntries(entries) as Identities;
  }

  async #asked(kind: "identities" | "receive" | "retracted" | "choose"): Promise<void> {
    const failures = this.#failures.get(kind) ?? 0;
    if (failures >= this.failingEach) return;
    this.#failures.set(kind, failures + 1);
    throw storeBusy();
  }

  #tap(adapter: PlatformAdapter): PlatformAdapter {
    this.adapter = adapter;
    this.#replace(adapter, "start", (start) => (events: AdapterEvents, signal: AbortSignal) => {
      return start(this.#events(events), AbortSignal.any([signal, this.#aborted.signal]));
    });
    for (const call of ["send", "edit", "createHandoffThread"] as const) {
      this.#replace(adapter, call, (real) => (...args: unknown[]) => {
        return this.#call(call, args, () => real(...args));
      });
    }
    return adapter;
  }

  #replace(
    adapter: PlatformAdapter,
    name: "start" | TappedCall,
    wrap: (real: (...args: unknown[]) => Promise<unknown>) => (...args: never[]) => Promise<unknown>,
  ): void {
    const real: unknown = Reflect.get(adapter, name);
    if (typeof real !== "function") return;
    const value = wrap((...args) => Promise.resolve(Reflect.apply(real, adapter, args)));
    Object.defineProperty(adapter, name, { value, configurable: true, writable: true });
  }

  async #call(call: TappedCall, args: readonly unknown[], run: () => Promise<unknown>): Promise<unknown> {
    await this.#life.pass(null);
    const about = `Hermes called ${call}(${args.slice(0, -1).map(shownArgument).join(", ")})`;
    const noted: NotedCall = { call, startedAt: Date.now(), endedAt: null, error: null };
    this.calls.push(noted);
    this.#isStoreAway = this.isStoreAwayAtSend && call === "send";
    try {
      const result = await run();
      this.#trail.add(about);
      if (this.deadlyCall === call) {
        this.#life.isOver = true;
        this.onDeadlyCall();
      }
      return await this.#life.pass(result);
    } catch (error) {
      noted.error = error;
      this.#trail.add(`${about}, which threw ${reasonOf(error)}`);
      await this.#life.pass(null);
      throw error;
    } finally {
      if (this.#isStoreAway) this.#isStoreAway = this.isStoreAwayAtSend = false;
      noted.endedAt = Date.now();
    }
  }

  /** Notes what the adapter did; what follows does not happen where its process is over. */
  #note(what: string): Promise<null> {
    this.#trail.add(`the adapter ${what}`);
    return this.#life.pass(null);
  }

  #events(events: AdapterEvents): AdapterEvents {
    return {
      receive: async (message) => {
        this.received.push(message);
        const { conversation, messageId, text, isEdit } = message;
        const what = isEdit ? "an edit of message" : "message";
        await this.#note(`reported ${what} ${shown(messageId)} of ${shownAt(conversation)}: ${shown(text)}`);
        await this.heldBack;
        await this.#life.pass(null);
        if (!this.holdsAccount) throw new Error("another gateway serves the account now");
        if (this.refusing > 0) {
          this.refusing--;
          throw new Error("the kit's store is not there for a moment");
        }
        await this.#asked("receive");
        await events.receive(message);
        await this.#life.pass(null);
      },
      settle: async (messageId, refusal, at, key) => {
        await this.#note(`settled message ${shown(messageId)}${refusal === null ? "" : `: ${refusal.message}`}`);
        await events.settle(messageId, refusal, at, key);
        this.settled.push({ messageId, refusal, key });
      },
      moved: async (from, to) => {
        await this.#note(`reported that ${shownAt(from)} is ${shownAt(to)} now`);
        await events.moved(from, to);
        await this.#life.pass(null);
      },
      retracted: async (at, messageId, by) => {
        await this.#note(`reported that message ${shown(messageId)} of ${shownAt(at)} was deleted`);
        await this.heldBack;
        await this.#life.pass(null);
        await this.#asked("retracted");
        await events.retracted(at, messageId, by);
        await this.#life.pass(null);
        this.retracted.push(messageId);
      },
      choose: async (press) => {
        await this.#note(`reported a press: ${shown(press)}`);
        await this.#asked("choose");
        this.pressed.push(press);
        await events.choose(press);
        await this.#life.pass(null);
      },
      fail: (error) => events.fail(error),
      holdsAccount: async () => {
        this.askedForAccount++;
        return this.holdsAccount && ((await events.holdsAccount?.()) ?? true);
      },
    };
  }
}

function storeBusy(): HermesError {
  return new HermesError("STORE_BUSY", { file: "of the kit", seconds: 5, holder: "a proof" });
}

function shownAt({ chatId, threadId }: Conversation): string {
  return shownPlace(threadId === undefined ? { chatId } : { chatId, threadId });
}

/** The text of a piece, or the place that a call is for. */
function shownArgument(argument: unknown): string {
  const { chatId, threadId, text } = Object(argument) as { chatId?: string; threadId?: string; text?: unknown };
  if (typeof text === "string") return shown(text);
  return chatId === undefined
    ? shown(argument)
    : shownPlace(threadId === undefined ? { chatId } : { chatId, threadId });
}
