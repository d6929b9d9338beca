import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import type { GatewayNews } from "./answering-gateway.ts";
import type { EmulatedPlatform, Place } from "./emulated-platform.ts";

/** A gateway in a process of its own that serves one emulated platform; the platform itself is in this process. */
export interface GatewayAt extends AsyncDisposable {
  /** Lets a person write, and waits until the agent is asked: how long that took, in milliseconds. */
  time(at: Place, text: string): Promise<number>;
  /** Lets people write, as quickly as the platform takes it; resolves when each has its turn behind it. */
  work(messages: readonly Message[]): Promise<void>;
  /** The processor time that the gateway had used when its agent was last asked, in microseconds. */
  readonly cpuMicros: number;
}

interface Message {
  readonly at: Place;
  /** Unlike that of any other message. */
  readonly text: string;
  /** The command that it stands behind. */
  readonly command?: string;
}

const SCRIPT = fileURLToPath(import.meta.resolve("./answering-gateway.ts"));

/** How long one step may take before the measurement is called failed, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Starts a gateway, and closes the platform with it. */
export async function startGatewayAt(emulated: EmulatedPlatform): Promise<GatewayAt> {
  const { platform, emulator, options } = emulated;
  const plugin = [`@hermes/plugin-${platform}`, { ...emulator.options, ...options }];
  const machine = new HermesMachine({ plugins: [plugin] });
  try {
    await emulated.prepare?.(machine);
    return await forkGateway(machine, emulated);
  } catch (error) {
    await machine[Symbol.asyncDispose]();
    await emulator.close();
    throw error;
  }
}

async function forkGateway(machine: HermesMachine, { platform, emulator }: EmulatedPlatform): Promise<GatewayAt> {
  const child = fork(SCRIPT, { cwd: machine.folder, env: machine.environment, stdio: "ignore", execArgv: [] });
  /** When the agent was asked, by what the person wrote; times are of the machine's monotonic clock. */
  const asked = new Map<string, bigint>();
  let cpuMicros = 0;
  let heard = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  child.on("message", (news: GatewayNews) => {
    if ("ready" in news) return ready.resolve();
    // A group's messages reach the agent with their writer's name in the line before.
    for (const { text, atNs } of news.asked) asked.set(text.split("\n").at(-1) ?? "", BigInt(atNs));
    cpuMicros = news.cpuMicros;
    heard.resolve();
    heard = Promise.withResolvers();
  });
  const ended = once(child, "exit").then(() => {
    throw new Error("the gateway ended");
  });
  ended.catch(() => {});

  const within = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`${what} did not come about on ${platform}`)), PATIENCE_MS);
    try {
      return await Promise.race([work, ended, promise]);
    } finally {
      clearTimeout(timer);
    }
  };
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await heard.promise;
  };

  const kill = async () => {
    const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null;
    child.kill("SIGKILL");
    await gone;
  };
  try {
    await within("the gateway's start", ready.promise);
  } catch (error) {
    await kill();
    throw error;
  }
  const store = await machine.store();

  return {
    async time(at, text) {
      const from = process.hrtime.bigint();
      await emulator.receive({ ...at, text });
      await within(
        "a turn",
        until(() => asked.has(text)),
      );
      return Number((asked.get(text) ?? from) - from) / 1e6;
    },
    async work(messages) {
      for (const { at, text, command } of messages) {
        await emulator.receive({ ...at, text: command === undefined ? text : `${command} ${text}` });
      }
      await within(
        "a turn for each message",
        until(() => messages.every(({ text }) => asked.has(text))),
      );
      while ((await store.inbox.openLanes(platform, undefined)).length > 0) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    get cpuMicros() {
      return cpuMicros;
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await machine[Symbol.asyncDispose]();
      await emulator.close();
    },
  };
}
