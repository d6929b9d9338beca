import { setTimeout as sleep } from "node:timers/promises";
import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import { type EmulatedPlatform, PLATFORMS, pluginFor } from "./emulated-platform.ts";

/** What starting up has left to do is done by then: the last of it gives memory back, some ten seconds after the start. */
const SETTLE_MS = 15_000;

/** A gateway that has nothing to do. */
interface IdleGateway extends AsyncDisposable {
  readonly pid: number;
}

/** One that serves the page. */
export async function idleAtPage(): Promise<IdleGateway> {
  return settled(new HermesMachine(), []);
}

/** One that serves the six messaging platforms with which Hermes began, each an emulator in this process. */
export async function idleAtSix(): Promise<IdleGateway> {
  const { imessage: _, ...six } = PLATFORMS;
  const emulated = await Promise.all(Object.values(six).map((start) => start()));
  return settled(new HermesMachine({ plugins: emulated.map(pluginFor) }), emulated);
}

async function settled(machine: HermesMachine, emulated: readonly EmulatedPlatform[]): Promise<IdleGateway> {
  const end = async () => {
    await machine[Symbol.asyncDispose]();
    await Promise.all(emulated.map(({ emulator }) => emulator.close()));
  };
  try {
    for (const { prepare } of emulated) await prepare?.(machine);
    const { pid } = await machine.startGateway();
    await sleep(SETTLE_MS);
    return { pid, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}
