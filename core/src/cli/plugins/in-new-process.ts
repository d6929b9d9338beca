import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { HERMES_BIN } from "../../config/own-project.ts";
import type { CliContext } from "../context.ts";

/** Runs a command of Hermes in a process of its own, at the same terminal. Returns its exit code. */
export async function inNewProcess(context: CliContext, words: readonly string[]): Promise<number> {
  return codeOf(start(context, [...(context.output.json ? ["--json"] : []), ...words], "inherit"));
}

/** The same for a command whose document is read rather than shown. */
export async function documentOf(context: CliContext, words: readonly string[]): Promise<unknown> {
  const child = start(context, ["--json", ...words], "pipe");
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await codeOf(child);
  return JSON.parse(text);
}

function start({ io, configPath }: CliContext, words: readonly string[], stdout: "inherit" | "pipe"): ChildProcess {
  const options = configPath === undefined ? [] : ["--config", configPath];
  return spawn(process.execPath, [HERMES_BIN, ...options, ...words], {
    cwd: io.workingDirectory,
    env: io.environment,
    stdio: ["inherit", stdout, "inherit"],
  });
}

async function codeOf(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}
