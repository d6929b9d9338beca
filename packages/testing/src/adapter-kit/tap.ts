import type { InboundMessage, PlatformError, PluginDeps, PluginDescriptor, Press } from "@hermes/core";
import { type AdapterEvents, isDoneWithin, type PlatformAdapter, systemClock } from "@hermes/core";
import type { Life } from "./life.ts";

export type TappedCall = "send" | "edit" | "createHandoffThread";

export interface NotedCall {
  readonly call: TappedCall;
  readonly startedAt: number;
  endedAt: number | null;
  error: unknown;
}

/** Stands between a gateway and its adapter: notes what passes, and holds it up where a proof says so. */
export class Tap {
  readonly #life: Life;
  readonly #aborted = new AbortController();
  readonly received: InboundMessage[] = [];
  readonly settled: { readonly messageId: string; readonly refusal: PlatformError | null }[] = [];
  readonly pressed: Press[] = [];
  /** The ids of messages that Hermes was told were deleted. */
  readonly retracted: string[] = [];
  readonly calls: NotedCall[] = [];
  adapter: PlatformAdapter | null = null;
  /** Hermes has taken no message until this is resolved. */
  heldBack: Promise<void> | null = null;
  /** How many of the next messages Hermes fails to take. */
  refusing = 0;
  /** False while the process has lost the account: nothing is taken, and an adapter that asks hears so. */
  holdsAccount = true;
  /** How often it asked. */
  askedForAccount = 0;
  /** The process is killed when the platform has answered the next such call, before anything is recorded of it. */
  deadlyCall: TappedCall | null = null;
  /** Called then. */
  onDeadlyCall: () => void = () => {};

  constructor(life: Life) {
    this.#life = life;
  }

  /** The plugin, with this tap on whatever adapter it makes. */
  on(descriptor: PluginDescriptor): PluginDescriptor {
    const create = async (deps: PluginDeps) => this.#tap(await descriptor.create(deps));
    // A copy with all properties, the brand among them.
    return Object.create(Object.getPrototypeOf(descriptor), {
      ...Object.getOwnPropertyDescriptors(descriptor),
      create: { value: create, enumerable: true },
    });
  }

  /** Lets go of the platform as the end of a process does. */
  async cut(): Promise<void> {
    this.#aborted.abort();
    const adapter = this.adapter;
    if (adapter === null) return;
    await isDoneWithin(systemClock, 3_000, Promise.resolve(adapter.stop())).catch(() => {});
  }

  #tap(adapter: PlatformAdapter): PlatformAdapter {
    this.adapter = adapter;
    this.#replace(adapter, "start", (start) => (events: AdapterEvents, signal: AbortSignal) => {
      return start(this.#events(events), AbortSignal.any([signal, this.#aborted.signal]));
    });
    for (const call of ["send", "edit", "createHandoffThread"] as const) {
      this.#replace(
        adapter,
        call,
        (real) =>
          (...args: unknown[]) =>
            this.#call(call, () => real(...args)),
      );
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

  async #call(call: TappedCall, run: () => Promise<unknown>): Promise<unknown> {
    await this.#life.pass(null);
    const noted: NotedCall = { call, startedAt: Date.now(), endedAt: null, error: null };
    this.calls.push(noted);
    try {
      const result = await run();
      if (this.deadlyCall === call) {
        this.#life.isOver = true;
        this.onDeadlyCall();
      }
      return await this.#life.pass(result);
    } catch (error) {
      noted.error = error;
      await this.#life.pass(null);
      throw error;
    } finally {
      noted.endedAt = Date.now();
    }
  }

  #events(events: AdapterEvents): AdapterEvents {
    return {
      receive: async (message) => {
        this.received.push(message);
        await this.#life.pass(null);
        await this.heldBack;
        await this.#life.pass(null);
        if (!this.holdsAccount) throw new Error("another gateway serves the account now");
        if (this.refusing > 0) {
          this.refusing--;
          throw new Error("the kit's store is not there for a moment");
        }
        await events.receive(message);
        await this.#life.pass(null);
      },
      settle: async (messageId, refusal, at) => {
        this.settled.push({ messageId, refusal });
        await this.#life.pass(null);
        await events.settle(messageId, refusal, at);
      },
      moved: async (from, to) => {
        await this.#life.pass(null);
        await events.moved(from, to);
        await this.#life.pass(null);
      },
      retracted: async (at, messageId, by) => {
        await this.#life.pass(null);
        await events.retracted(at, messageId, by);
        await this.#life.pass(null);
        this.retracted.push(messageId);
      },
      choose: async (press) => {
        this.pressed.push(press);
        await this.#life.pass(null);
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
