import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { oneLine } from "../../base/one-line.ts";
import { secretsOfEnvironment } from "../../base/proxy/proxy-settings.ts";
import { createRedactor } from "../../base/redact.ts";
import type { Output } from "../../terminal/output.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import type { PackageManager } from "./package-manager.ts";
import { nameIn } from "./package-spec.ts";

interface ManagerRun {
  readonly folder: string;
  readonly args: readonly string[];
  /** For people: `installs`. */
  readonly doing: string;
  readonly packages: readonly string[];
  readonly output: Output;
}

/** How much of what a package manager says is kept, in UTF-16 units. */
const KEPT = 20_000;

/** Runs a package manager to its end, without a shell, and shows that it is at work. */
export async function runManager(manager: PackageManager, run: ManagerRun): Promise<void> {
  const { folder, packages, output, doing } = run;
  for (const path of [folder, join(folder, "package.json")]) accessSync(path, constants.W_OK);
  using spinner = createSpinner(output, systemClock);
  const what = `${manager.name} ${doing} ${packages.join(", ")}`;
  if (output.io.draws) spinner.spin(`${what} …`);
  else output.note(`${what} …`);
  const end = await ended(manager, run, (line) => spinner.spin(`${what} … ${line}`));
  spinner.stop();
  if (end.code !== 0) throw failure(manager, run, end);
}

interface Ended {
  /** Null where it could not be started. */
  readonly code: number | string | null;
  readonly said: string;
  /** A person pressed Ctrl-C, or the system ends. */
  readonly isStopped: boolean;
}

async function ended(
  { name }: PackageManager,
  { folder, args, output }: ManagerRun,
  onLine: (line: string) => void,
): Promise<Ended> {
  const environment = {
    // Nobody waits for minutes where there is no network.
    npm_config_fetch_retries: "1",
    ...output.io.environment,
    NO_COLOR: "1",
  };
  const child = spawn(name, args, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const listen = (chunk: string) => {
    said = (said + chunk).slice(-KEPT);
    const line = chunk.trimEnd().split("\n").at(-1) ?? "";
    if (line !== "" && output.io.draws) onLine(oneLine(line).slice(0, 60));
  };
  child.stdout.setEncoding("utf8").on("data", listen);
  child.stderr.setEncoding("utf8").on("data", listen);
  // Ctrl-C reaches the child as well: what it had begun is undone by whoever called.
  let isStopped = false;
  const stop = (signal: "SIGINT" | "SIGTERM") => {
    isStopped = true;
    child.kill(signal);
  };
  using _interrupt = output.io.onSignal("SIGINT", () => stop("SIGINT"));
  using _end = output.io.onSignal("SIGTERM", () => stop("SIGTERM"));
  // Awaited here: until then the signals are taken.
  return await new Promise((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") resolve({ code: null, said, isStopped });
      else reject(error);
    });
    child.once("close", (code, signal) => resolve({ code: code ?? signal ?? 1, said, isStopped }));
  });
}

const UNKNOWN =
  /\bE404\b|\bETARGET\b|ERR_PNPM_FETCH_404|ERR_PNPM_NO_MATCHING_VERSION|Couldn't find (?:package|any versions)|YN0035|No version matching|No versions available|Package not found|404 Not Found|HTTPError: .*404|No candidates found/;

const UNREACHABLE =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ConnectionRefused|RequestError)\b/;

function failure({ name }: PackageManager, run: ManagerRun, { code, said, isStopped }: Ended): HermesError {
  const { folder, packages, output } = run;
  if (code === null) return new HermesError("PACKAGE_MANAGER_MISSING", { manager: name, folder });
  const redact = createRedactor(secretsOfEnvironment(output.io.environment));
  if (isStopped) {
    return new HermesError("PACKAGE_MANAGER_FAILED", { manager: name, reason: "it was stopped" });
  }
  if (UNKNOWN.test(said)) {
    const known = packages.filter((one) => said.includes(nameIn(one)));
    return new HermesError("PACKAGE_UNKNOWN", { package: (known.length === 1 ? known : packages).join(" or ") });
  }
  const unreachable = said.split("\n").filter((line) => UNREACHABLE.test(line));
  if (unreachable.length > 0) {
    // The one that says most.
    const [reason = ""] = unreachable.map((line) => shown(redact(line))).sort((a, b) => b.length - a.length);
    return new HermesError("REGISTRY_UNREACHABLE", { reason });
  }
  return new HermesError("PACKAGE_MANAGER_FAILED", { manager: name, reason: redact(lastWords(said, code)) });
}

/** The last lines that say something of what went wrong. */
function lastWords(said: string, code: number | string): string {
  const lines = said
    .split("\n")
    .map(shown)
    .filter((line) => line !== "" && !/complete log|debug-0\.log/.test(line));
  const errors = lines.filter((line) => /err|fail|cannot|could not|denied/i.test(line));
  const last = (errors.length > 0 ? errors : lines).slice(-3).join("; ").slice(-400);
  return last === "" ? `it ended with ${code}` : last;
}

function shown(line: string): string {
  return oneLine(line.replace(/^(?:npm|yarn|pnpm|bun)?\s*(?:error|ERR!|ERR_PNPM_\w+)\s*/i, ""))
    .replace(/\.$/, "")
    .slice(0, 200);
}
