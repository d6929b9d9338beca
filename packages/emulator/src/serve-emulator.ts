import { CONSOLE_PATH, takeConsoleRequest } from "./console/console.ts";
import type { Emulator, EmulatorModule } from "./emulator.ts";

/** An emulator with its console, on one port. */
export interface ServedEmulator extends AsyncDisposable {
  readonly emulator: Emulator;
  /** The page for writing as a person. */
  readonly consoleUrl: string;
}

/** Starts an emulator with the console in front of it. Throws if the port is not available. */
export async function serveEmulator(
  { startEmulator }: EmulatorModule,
  options: { readonly port?: number } = {},
): Promise<ServedEmulator> {
  let started: Emulator | null = null;
  const emulator = await startEmulator({
    ...options,
    handle: (request, response) => takeConsoleRequest(started, request, response),
  });
  started = emulator;
  return {
    emulator,
    consoleUrl: new URL(CONSOLE_PATH, emulator.url).href,
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}
