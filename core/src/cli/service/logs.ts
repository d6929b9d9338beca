import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { withNumbers } from "../../base/hidden-text.ts";
import { Styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { contentOf } from "./install.ts";
import { serviceManager } from "./service-manager.ts";

interface ServiceLogsOptions {
  readonly follow?: boolean;
  readonly lines: number;
}

/**
 * `hermes service logs`: what the service printed, as its manager kept it. With `-f` and `--json`, a document a line.
 * Throws SERVICE_NOT_INSTALLED.
 */
export async function showServiceLogs(
  { io, output }: CliContext,
  { follow = false, lines }: ServiceLogsOptions,
): Promise<number> {
  const manager = await serviceManager(io);
  if (contentOf(manager) === null) throw new HermesError("SERVICE_NOT_INSTALLED", {});
  const [program, ...words] = manager.logCommand({ follow, lines });
  const child = spawn(program, words, { env: io.environment, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  using _interrupt = io.onSignal("SIGINT", () => child.kill("SIGTERM"));
  using _terminate = io.onSignal("SIGTERM", () => child.kill("SIGTERM"));
  const printed: string[] = [];
  const print = (line: string) => {
    if (output.json && follow) io.stdout.write(`${withNumbers(JSON.stringify({ line }))}\n`);
    else if (output.json) printed.push(line);
    else output.line(Styled.from(line));
  };
  createInterface({ input: child.stdout }).on("line", print);
  try {
    const [code] = await ended;
    if (!follow) output.document({ lines: printed });
    return code === 0 || code === null ? 0 : 1;
  } catch (error) {
    throw new HermesError("SERVICE_FAILED", { command: program, reason: reasonOf(error) }, { cause: error });
  }
}
