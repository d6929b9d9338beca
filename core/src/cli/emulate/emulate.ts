import { once } from "node:events";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import type { CliContext } from "../context.ts";
import type { ServedEmulator } from "./emulator-package.ts";
import { type FoundEmulator, findEmulator } from "./find-emulator.ts";
import { printEmulator } from "./print-emulator.ts";

/** `hermes emulate <platform>`: runs a platform on this machine until SIGINT or SIGTERM. */
export async function emulate(
  { io, output, configPath }: CliContext,
  platform: string,
  { port }: { readonly port: number },
): Promise<undefined> {
  const { environment, workingDirectory } = io;
  const home = hermesHome(environment);
  prepareHome(home);
  const found = await findEmulator(platform, { configPath, environment, workingDirectory, home });
  const stop = new AbortController();
  const stopped = once(stop.signal, "abort");
  using _interrupt = io.onSignal("SIGINT", () => stop.abort());
  using _terminate = io.onSignal("SIGTERM", () => stop.abort());
  await using served = await start(found, port);
  printEmulator(output, found.package, served);
  await stopped;
}

async function start({ serve, module }: FoundEmulator, port: number): Promise<ServedEmulator> {
  try {
    return await serve(module, { port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    const reason = `Port ${port} is in use by another program (${reasonOf(error)}); name another one with --port`;
    throw new HermesError("USAGE", { reason, command: "hermes emulate" }, { cause: error });
  }
}
