import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import { AnsweringProcess } from "./answering-process.ts";
import { type EmulatedPlatform, pluginFor, type Writer } from "./emulated-platform.ts";

/** A gateway in a process of its own that serves one emulated platform; the platform itself is in this process. */
export interface GatewayAt extends AsyncDisposable {
  /** Lets a person write, and waits until the agent is asked: how long that took, in milliseconds. */
  time(at: Writer, text: string): Promise<number>;
  /** Lets people write, as quickly as the platform takes it; resolves when each has its turn behind it. */
  work(messages: readonly Message[]): Promise<void>;
  /** The processor time that the gateway had used when its agent was last asked, in microseconds. */
  readonly cpuMicros: number;
}

interface Message {
  readonly at: Writer;
  /** Unlike that of any other message. */
  readonly text: string;
  /** The command that it stands behind. */
  readonly command?: string;
}

const SCRIPT = import.meta.resolve("./answering-gateway.ts");

/** Starts a gateway, and closes the platform with it. */
export async function startGatewayAt(emulated: EmulatedPlatform): Promise<GatewayAt> {
  const machine = new HermesMachine({ plugins: [pluginFor(emulated)] });
  try {
    await emulated.prepare?.(machine);
    const where = { cwd: machine.folder, env: machine.environment };
    return await gatewayAt(machine, emulated, await AnsweringProcess.start(SCRIPT, [], emulated, where));
  } catch (error) {
    await machine[Symbol.asyncDispose]();
    await emulated.emulator.close();
    throw error;
  }
}

async function gatewayAt(
  machine: HermesMachine,
  { platform, emulator }: EmulatedPlatform,
  gateway: AnsweringProcess,
): Promise<GatewayAt> {
  const store = await machine.store();
  return {
    time: (at, text) => gateway.time(at, text),
    async work(messages) {
      for (const { at, text, command } of messages) {
        await emulator.receive({ ...at, text: command === undefined ? text : `${command} ${text}` });
      }
      await gateway.untilAsked(messages.map(({ text }) => text));
      while ((await store.inbox.openLanes(platform, undefined)).length > 0) {
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
    get cpuMicros() {
      return gateway.cpuMicros;
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
      await emulator.close();
    },
  };
}
