import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AdapterHealth, PlatformAdapter, PluginDescriptor } from "@hermes/core";
import { platformOptions, systemClock, z } from "@hermes/core";
import type { Agent, Holder, Host } from "@hermes/core/embed";
import type { ConfiguredPlugin, Gateway } from "@hermes/core/internal";
import type { Emulator } from "@hermes/emulator";
import { createTestHost } from "../test-host.ts";
import { Disproved, shown } from "./check.ts";
import { Life } from "./life.ts";
import type { AdapterUnderTest, KitOptions } from "./subject.ts";
import { Tap } from "./tap.ts";
import type { Trail } from "./trail.ts";

/** A gateway within this process, with a tap on its adapter. */
export interface LiveGateway {
  readonly host: Host;
  readonly tap: Tap;
  /** The running adapter; throws if there is none. */
  readonly adapter: PlatformAdapter;
  health(): AdapterHealth;
  /** Shuts it down in an orderly way. */
  end(): Promise<void>;
  /** Ends it like `kill -9`: none of its code continues, and nothing is cleaned up. */
  die(): Promise<void>;
  /** Makes it die once the platform has answered the next such call. */
  dieAfter(call: NonNullable<Tap["deadlyCall"]>): void;
  /** Resolves when it has died of `dieAfter`. */
  readonly died: Promise<void>;
}

export interface MachineParts {
  /** The folder of its Hermes home. */
  readonly folder: string;
  readonly subject: AdapterUnderTest;
  readonly emulator: Emulator;
  readonly agent: Agent;
  /** Where the traffic between gateways and adapters is noted. */
  readonly trail: Trail;
}

/** A simulated machine with one Hermes home: terminals and gateways on one store, in this process. */
export class Machine implements AsyncDisposable {
  readonly #parts: MachineParts;
  readonly #options: KitOptions;
  readonly #gone = new Set<string>();
  readonly #taps: Tap[] = [];
  readonly #undo: (() => Promise<void>)[] = [];
  readonly #gateways: LiveGateway[] = [];
  #processes = 0;
  #terminal: Promise<Host> | null = null;

  constructor(parts: MachineParts, options: KitOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** The number of messages and calls that passed between gateways and adapters. */
  get events(): number {
    return this.#taps.reduce((sum, { received, calls }) => sum + received.length + calls.length, 0);
  }

  /** The machine's one terminal. */
  terminal(): Promise<Host> {
    this.#terminal ??= this.#host("terminal", new Life(), this.#descriptor()).then((host) => {
      this.#undo.push(async () => host[Symbol.asyncDispose]());
      return host;
    });
    return this.#terminal;
  }

  /** Starts a gateway. `prepare` gets the tap before anything passes through it. */
  async gateway(prepare: (tap: Tap) => void = () => {}): Promise<LiveGateway> {
    const { Gateway } = await import("@hermes/core/internal");
    const life = new Life();
    const tap = new Tap(life, this.#parts.trail);
    prepare(tap);
    this.#taps.push(tap);
    const host = await this.#host("gateway", life, tap.on(this.#descriptor()));
    const gateway = new Gateway(host);
    const live = this.#live(host, gateway, life, tap);
    this.#gateways.push(live);
    this.#undo.push(() => live.end());
    await gateway.start();
    return live;
  }

  /** Kills every running gateway. */
  async crash(): Promise<void> {
    await Promise.all(this.#gateways.map((gateway) => gateway.die()));
  }

  #live(host: Host, gateway: Gateway, life: Life, tap: Tap): LiveGateway {
    let ended: Promise<void> | null = null;
    const died = Promise.withResolvers<void>();
    const kill = async () => {
      life.isOver = true;
      this.#gone.add(host.holder.id);
      // The store first, so that code that still runs cannot write anything.
      await host[Symbol.asyncDispose]();
      await tap.cut();
      died.resolve();
    };
    tap.onDeadlyCall = () => {
      ended ??= kill();
    };
    return {
      host,
      tap,
      get adapter() {
        if (tap.adapter === null) throw new Disproved(`the adapter was not made: ${shown(gateway.describe())}`);
        return tap.adapter;
      },
      health: () => gateway.describe()[0]?.health ?? { state: "down" },
      died: died.promise,
      dieAfter(call) {
        tap.deadlyCall = call;
      },
      die: () => (ended ??= kill()),
      end: () =>
        (ended ??= (async () => {
          await gateway[Symbol.asyncDispose]();
          await host[Symbol.asyncDispose]();
        })()),
    };
  }

  #descriptor(): PluginDescriptor {
    return this.#parts.subject.descriptor(this.#parts.emulator, this.#options);
  }

  async #host(role: Holder["role"], life: Life, descriptor: PluginDescriptor): Promise<Host> {
    const toolsDirectory = join(this.#parts.folder, "work");
    mkdirSync(toolsDirectory, { recursive: true });
    return createTestHost({
      ...{ role, toolsDirectory },
      number: ++this.#processes,
      folder: this.#parts.folder,
      clock: life.clock(systemClock),
      agent: life.agent(this.#parts.agent),
      plugin: { descriptor, options: await checked(descriptor) },
      gone: this.#gone,
      // All levels, so that a token in any line is found.
      logLevel: "debug",
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Hanging calls on the platform would block the end.
    this.#parts.emulator.heal();
    for (const undo of this.#undo.splice(0).reverse()) await undo();
  }
}

async function checked(descriptor: PluginDescriptor): Promise<ConfiguredPlugin["options"]> {
  const result = await descriptor.schema["~standard"].validate(descriptor.options);
  if (result.issues) throw new Disproved(`the plugin's schema refuses its options: ${shown(result.issues)}`);
  return z.looseObject(platformOptions).parse({ ...Object(descriptor.options), ...Object(result.value) });
}
