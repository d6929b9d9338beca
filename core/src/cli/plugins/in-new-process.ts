import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { CliContext } from "../context.ts";

/** What `hermes` is started with, seen from the sources as from the build. */
const BIN = fileURLToPath(new URL("../../../bin/hermes.js", import.meta.url));

/** Runs a command of Hermes in a process of its own, at the same terminal. Returns its exit code. */
export async function inNewProcess({ io, output, configPath }: CliContext, words: readonly string[]): Promise<number> {
  const options = [...(output.json ? ["--json"] : []), ...(configPath === undefined ? [] : ["--config", configPath])];
  const child = spawn(process.execPath, [BIN, ...options, ...words], {
    cwd: io.workingDirectory,
    env: io.environment,
    stdio: "inherit",
  });
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}
