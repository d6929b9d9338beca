import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, notingLogger, type VirtualClock } from "@hermes/testing";
import { type DependencyContainer, container as rootContainer } from "tsyringe";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type AdapterEvents, PlatformAdapter } from "../adapter/adapter.ts";
import { PLAIN_TEXT_ONLY } from "../adapter/capabilities.ts";
import type { Conversation } from "../adapter/conversation.ts";
import type { Identities } from "../adapter/identity.ts";
import type { Piece, SendReceipt } from "../adapter/message.ts";
import { PlatformError } from "../base/errors.ts";
import { randomIds } from "../base/ids.ts";
import { SECRETS } from "../base/known-secrets.ts";
import { silentLogger } from "../base/logger.ts";
import { createRedactor, REDACTOR } from "../base/redact.ts";
import { CLOCK, HOME, ID_SOURCE, LOGGER, RANDOM } from "../base/tokens.ts";
import type { PluginDescriptor, PluginScope } from "./descriptor.ts";
import { importModule } from "./load-part.ts";
import { type PluginFailure, type RunningPlugin, startPlugin } from "./plugin-host.ts";

let home: string;
let clock: VirtualClock;
let host: DependencyContainer;
let failures: PluginFailure[];
let running: RunningPlugin[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hermes-plugin-"));
  clock = createVirtualClock();
  host = rootContainer.createChildContainer();
  host.registerInstance(HOME, home);
  host.registerInstance(CLOCK, clock);
  host.registerInstance(ID_SOURCE, randomIds);
  host.registerInstance(LOGGER, silentLogger);
  host.registerInstance(RANDOM, () => 0);
  const secrets = new Set(["a-secret-token"]);
  host.registerInstance(SECRETS, secrets);
  host.registerInstance(REDACTOR, createRedactor(secrets));
  failures = [];
  running = [];
});
afterEach(async () => {
  for (const plugin of running) {
    const stopped = plugin.stop();
    await clock.advance(60_000);
    await stopped;
  }
  rmSync(home, { recursive: true, force: true });
});

class TestAdapter extends PlatformAdapter {
  readonly platform: string = "test";
  readonly capabilities = PLAIN_TEXT_ONLY;
  readonly #secret = "private";
  async start(_events: AdapterEvents, _signal: AbortSignal): Promise<void> {}
  async stop(): Promise<void> {}
  render(): Piece[] {
    return [{ text: this.#secret }];
  }
  async send(): Promise<SendReceipt> {
    return { messageId: "1", sentAt: 0 };
  }
  async homeConversation(): Promise<Conversation> {
    return { platform: "test", chatId: "1", kind: "dm" };
  }
}

/** No adapter of these tests asks who is who. */
const NOBODY = {} as Identities;

type Create = PluginDescriptor["create"];

function start(create: Create, hooks: { onUp?(): void; onDown?(): void } = {}): RunningPlugin {
  const schema = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
  const descriptor = { package: "hermes-plugin-test", platform: "test", apiVersion: 2, schema, options: {}, create };
  const options = {
    allowedUsers: [],
    operators: [],
    allowedBots: [],
    requireMention: true,
    sessionPerUser: false,
    port: 80,
  };
  const events = {
    receive: async () => {},
    settle: async () => {},
    choose: async () => {},
    moved: async () => {},
    retracted: async () => {},
  };
  const plugin = startPlugin({ descriptor, options }, host, {
    events,
    identities: NOBODY,
    ...hooks,
    onFailure: (failure) => failures.push(failure),
  });
  running.push(plugin);
  return plugin;
}

/** A real module in a folder of its own, imported as Node does. */
function moduleOf(source: string): Create {
  const file = join(home, `adapter-${Math.random()}.mjs`);
  writeFileSync(file, source);
  return async (deps) => ((await importModule(file)) as { default: Create }).default(deps);
}

test("an adapter is made with the plugin's options, its folder and its scope", async () => {
  let got: unknown[] = [];
  const plugin = start(async ({ options, folder, scope }) => {
    got = [options, folder, scope.signal.aborted];
    return new TestAdapter();
  });
  await plugin.attempted;
  expect(got).toEqual([expect.objectContaining({ port: 80 }), join(home, "plugins", "test"), false]);
  expect(existsSync(join(home, "plugins", "test"))).toBe(true);
  expect(plugin.adapter).toBeInstanceOf(PlatformAdapter);
  expect(plugin.health()).toEqual({ state: "up" });
  expect(plugin.adapter?.render({ kind: "answer", markdown: "" }, { type: "root", children: [] })).toEqual([
    { text: "private" },
  ]);
});

test("an adapter that extends another copy of core's base class works as well", async () => {
  const source = `
    class PlatformAdapter { get [Symbol.for("hermes:brand:PlatformAdapter")]() { return true; } }
    class Adapter extends PlatformAdapter {
      platform = "test";
      constructor({ options }) { super(); this.options = options; }
      async start() {}
      async stop() {}
      health() { return { state: "up", detail: "port " + this.options.port }; }
    }
    export default (deps) => new Adapter(deps);`;
  const plugin = start(moduleOf(source));
  await plugin.attempted;
  expect(plugin.health()).toEqual({ state: "up", detail: "port 80" });
});

test.each([
  ["imported", `throw new Error("boom");`, "failed while it was loaded: boom"],
  ["asked for an adapter", `export default () => { throw new Error("boom"); };`, "failed while it was loaded: boom"],
  ["something else", `export default () => ({});`, "what it creates is no PlatformAdapter"],
])("a plugin that throws when it is %s is reported, and is down", async (_, source, message) => {
  const plugin = start(moduleOf(source));
  await plugin.attempted;
  await clock.advance(0);
  expect(failures[0]?.error.message).toContain(message);
  expect(plugin.health()).toMatchObject({ state: "down", detail: expect.stringContaining("started again within 1 s") });
});

test("a plugin without a function that makes its adapter is refused", async () => {
  await start(undefined as unknown as Create).attempted;
  await clock.advance(0);
  expect(failures[0]?.error.message).toContain("it has no function `create`");
});

test("retries a plugin that fails to start, with a back-off of up to five minutes", async () => {
  let broken = true;
  class Adapter extends TestAdapter {
    override async start() {
      if (broken) throw new Error("no network");
    }
  }
  const plugin = start(async () => new Adapter());
  await plugin.attempted;
  await clock.advance(1_000 + 2_000 + 4_000 + 8_000 + 16_000 + 32_000 + 64_000 + 128_000 + 256_000 + 300_000);
  expect(failures.map((failure) => failure.retryInMs / 1000)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  broken = false;
  await clock.advance(300_000);
  expect(plugin.health()).toEqual({ state: "up" });
});

test("a plugin counts as recovering for its first four transient failures", async () => {
  let failure: Error = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "test", reason: "no route" });
  class Adapter extends TestAdapter {
    override async start() {
      throw failure;
    }
  }
  const plugin = start(async () => new Adapter());
  await plugin.attempted;
  await clock.advance(0);
  expect(plugin.isRecovering).toBe(true);
  await clock.advance(1_000 + 2_000 + 4_000);
  expect(plugin.isRecovering).toBe(true);
  await clock.advance(8_000);
  expect(plugin.isRecovering).toBe(false);
  failure = new PlatformError("PLATFORM_UNAUTHORISED", { platform: "test" });
  plugin.restart();
  await clock.advance(0);
  expect(plugin.isRecovering).toBe(false);
});

test("a plugin counts as recovering in the first 15 s of its adapter being down", async () => {
  let state: "up" | "down" = "up";
  class Adapter extends TestAdapter {
    override health() {
      return { state };
    }
  }
  const plugin = start(async () => new Adapter());
  await plugin.attempted;
  const isRecovering = () => {
    plugin.health();
    return plugin.isRecovering;
  };
  expect(isRecovering()).toBe(false);
  state = "down";
  expect(isRecovering()).toBe(true);
  await clock.advance(14_999);
  expect(isRecovering()).toBe(true);
  await clock.advance(1);
  expect(isRecovering()).toBe(false);
  state = "up";
  expect(isRecovering()).toBe(false);
  state = "down";
  expect(isRecovering()).toBe(true);
});

test("the health that others read holds no token", async () => {
  class Adapter extends TestAdapter {
    override async start() {
      throw new Error("GET https://api.example/a-secret-token/me failed");
    }
  }
  const plugin = start(async () => new Adapter());
  await plugin.attempted;
  await clock.advance(0);
  expect(plugin.health().detail).toContain("https://api.example/[redacted]/me failed");
});

test("a secret that a plugin got by itself is in no text that others read from then on", async () => {
  class Adapter extends TestAdapter {
    override async start() {
      throw new Error("GET https://api.example/8nW2xQ7v/me failed");
    }
  }
  const plugin = start(async ({ noteSecret, redact }) => {
    expect(redact("8nW2xQ7v")).toBe("8nW2xQ7v");
    noteSecret("8nW2xQ7v");
    expect(redact("8nW2xQ7v")).toBe("[redacted]");
    return new Adapter();
  });
  await plugin.attempted;
  await clock.advance(0);
  expect(plugin.health().detail).toContain("https://api.example/[redacted]/me failed");
});

test("the host does not ask every second for what a platform refuses for good", async () => {
  class Adapter extends TestAdapter {
    override async start() {
      throw new PlatformError("PLATFORM_UNAUTHORISED", { platform: "test" });
    }
  }
  await start(async () => new Adapter()).attempted;
  await clock.advance(0);
  expect(failures[0]).toMatchObject({ retryInMs: 300_000, error: { code: "PLATFORM_UNAUTHORISED" } });
});

test("a plugin whose credentials are taken no more is started again at once, and once", async () => {
  let starts = 0;
  let expire = () => {};
  class Adapter extends TestAdapter {
    constructor(private readonly scope: PluginScope) {
      super();
    }
    override async start() {
      if (++starts > 3) throw new PlatformError("PLATFORM_UNAUTHORISED", { platform: "test" });
      expire = () =>
        void this.scope.setTimer(0, () => {
          throw new PlatformError("PLATFORM_UNAUTHORISED", { platform: "test" });
        });
    }
  }
  const plugin = start(async ({ scope }) => new Adapter(scope));
  await plugin.attempted;
  expire();
  await clock.advance(0);
  expect(starts).toBe(2);
  expect(plugin.health()).toEqual({ state: "up" });
  // Again, before anybody could say that the new ones are good for long.
  expire();
  await clock.advance(299_999);
  expect(starts).toBe(2);
  await clock.advance(1);
  expect(starts).toBe(3);
  expect(failures.map(({ retryInMs }) => retryInMs)).toEqual([0, 300_000]);
});

test.each(["loading", "starting"])(
  "a plugin that hangs while %s is given up after 30 s, and others go on",
  async (when) => {
    let stops = 0;
    class Hanging extends TestAdapter {
      override start() {
        return new Promise<void>(() => {});
      }
      override async stop() {
        stops++;
      }
    }
    start(when === "loading" ? () => new Promise(() => {}) : async () => new Hanging());
    const other = start(async () => new TestAdapter());
    await other.attempted;
    expect(other.health()).toEqual({ state: "up" });
    await clock.advance(30_000);
    expect(failures[0]?.error.message).toBe("The plugin hermes-plugin-test was not ready after 30 s.");
    expect(stops).toBe(when === "loading" ? 0 : 1);
  },
);

test.each(["loading", "starting"])(
  "a plugin that is ended while it hangs in %s leaves no timer behind",
  async (when) => {
    class Hanging extends TestAdapter {
      override start() {
        return new Promise<void>(() => {});
      }
    }
    const plugin = start(when === "loading" ? () => new Promise(() => {}) : async () => new Hanging());
    await clock.advance(0);
    expect(clock.timers).toBe(1);
    await plugin.stop();
    await clock.advance(0);
    expect(clock.timers).toBe(0);
  },
);

test("a throw in a timer disposes of the plugin in reverse order, and starts it anew", async () => {
  const undone: string[] = [];
  let lives = 0;
  const plugin = start(async ({ scope }) => {
    lives++;
    scope.onDispose(() => void undone.push("first"));
    scope.onDispose(() => {
      throw new Error("cannot be undone");
    });
    scope.onDispose(() => void undone.push("last"));
    if (lives === 1) {
      scope.setTimer(5_000, () => {
        throw new Error("tick");
      });
    }
    scope.setTimer(5_500, () => void undone.push(`a timer of life ${lives}`));
    return new TestAdapter();
  });
  await plugin.attempted;
  await clock.advance(5_000);
  expect(failures[0]?.error.message).toContain("failed while it was running: tick");
  expect(undone).toEqual(["last", "first"]);
  await clock.advance(1_000);
  expect(lives).toBe(2);
  expect(plugin.health()).toEqual({ state: "up" });
  expect(undone).not.toContain("a timer of life 1");
});

test("tells the account's service when the adapter is up, and before it is stopped", async () => {
  const heard: string[] = [];
  class Adapter extends TestAdapter {
    override async stop() {
      heard.push("stopped");
    }
  }
  const hooks = { onUp: () => void heard.push("up"), onDown: () => void heard.push("down") };
  const plugin = start(async () => new Adapter(), hooks);
  await plugin.attempted;
  await plugin.stop();
  expect(heard).toEqual(["up", "down", "stopped"]);
  expect(plugin.adapter).toBeNull();
});

test("a plugin that hangs while it stops does not hold up the end", async () => {
  class Adapter extends TestAdapter {
    override stop() {
      return new Promise<void>(() => {});
    }
  }
  const plugin = start(async () => new Adapter());
  await plugin.attempted;
  const stopped = plugin.stop();
  await clock.advance(10_000);
  await stopped;
});

test("an adapter that comes after it was given up is stopped, and never started", async () => {
  const heard: string[] = [];
  class Late extends TestAdapter {
    override async start() {
      heard.push("start");
    }
    override async stop() {
      heard.push("stop");
    }
  }
  const late = Promise.withResolvers<PlatformAdapter>();
  const plugin = start(() => late.promise);
  const stopped = plugin.stop();
  await stopped;
  late.resolve(new Late());
  await clock.advance(0);
  expect(heard).toEqual(["stop"]);
});

test("ending a plugin leaves the host's own parts alone", async () => {
  let isDisposed = false;
  host.registerSingleton(
    ID_SOURCE,
    class {
      next = () => "id";
      dispose() {
        isDisposed = true;
      }
    },
  );
  const plugin = start(async () => new TestAdapter());
  await plugin.attempted;
  await plugin.stop();
  expect(isDisposed).toBe(false);
});

test("a start that takes long says so, with what the adapter knows of it", async () => {
  let detail: string | undefined;
  class Slow extends TestAdapter {
    override start() {
      return new Promise<void>(() => {});
    }
    override health() {
      return { state: "starting", detail } as const;
    }
  }
  const plugin = start(async () => new Slow());
  await clock.advance(4_000);
  expect(plugin.health()).toEqual({ state: "starting" });
  await clock.advance(2_000);
  expect(plugin.health()).toEqual({ state: "starting", detail: "It has been starting for 6 s." });
  detail = "The platform has not greeted.";
  expect(plugin.health()).toEqual({ state: "starting", detail });
});

test("a plugin that throws all the time is logged once a minute, with a count", async () => {
  const lines: string[] = [];
  host.registerInstance(LOGGER, notingLogger(lines));
  // It goes on after its life has ended, as a timer of its own does.
  class Deaf extends TestAdapter {
    override stop() {
      return new Promise<void>(() => {});
    }
  }
  const plugin = start(async ({ scope }) => {
    for (let second = 1; second < 90; second++) {
      scope.setTimer(second * 1_000, () => {
        throw new Error("in a timer");
      });
    }
    return new Deaf();
  });
  await plugin.attempted;
  const ended = plugin.stop();
  await clock.advance(9_000);
  const uncaught = lines.filter((line) => line.startsWith("an error that the plugin did not catch"));
  expect(uncaught).toHaveLength(1);
  await clock.advance(90_000);
  await ended;
});
