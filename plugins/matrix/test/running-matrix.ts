import type { SendOptions, ThreadOptions } from "@hermes/core";
import { type RunningAdapter, startAdapter } from "@hermes/testing";
import { type MatrixEmulator, startMatrixEmulator } from "../emulator/index.ts";
import { MatrixAdapter } from "../src/adapter.ts";
import { matrixOptions } from "../src/config.ts";

export type RunningMatrix = RunningAdapter<MatrixAdapter, MatrixEmulator>;

/** `prepare` sets the platform up before the adapter starts; `noteSecret` takes the secrets that it gets by itself. */
export async function startMatrix(
  config: Record<string, unknown> = {},
  prepare?: (emulator: MatrixEmulator) => void | Promise<void>,
  noteSecret: (secret: string) => void = () => {},
): Promise<RunningMatrix> {
  return startAdapter({
    emulator: await startMatrixEmulator(),
    options: matrixOptions,
    config: { allowedUsers: ["*"], ...config },
    prepare,
    create: (deps) => new MatrixAdapter({ ...deps, noteSecret }),
  });
}

export const signal = new AbortController().signal;

export function sendOptions(key = "key"): SendOptions {
  return { key, signal };
}

export function threadOptions(chatId: string, mark = "mark", until = signal): ThreadOptions {
  return { home: { chatId }, mark, signal: until };
}
