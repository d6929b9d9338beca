import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject, Lifecycle, scoped } from "tsyringe";
import type { Host } from "../../host/host.ts";
import { HOST } from "./tokens.ts";

/** How many lines are kept. */
const LIMIT = 1_000;

/** What was typed before, across runs; the owner's alone. A home that cannot be written to costs the history only. */
@scoped(Lifecycle.ContainerScoped)
export class HistoryFile {
  /** The oldest first. */
  readonly lines: readonly string[];
  readonly #file: string;
  #last: string | undefined;

  constructor(@inject(HOST) readonly host: Host) {
    this.#file = join(host.home, "chat-history");
    const lines = readLines(this.#file);
    this.#last = lines.at(-1);
    this.lines = lines.map(asWritten);
  }

  add(message: string): void {
    const line = onOneLine(this.host.redact(message));
    if (line === this.#last || line.trim() === "") return;
    this.#last = line;
    attempt(() => appendFileSync(this.#file, `${line}\n`, { mode: 0o600 }));
  }
}

/** Stands for a line break: in the file, a message takes one line. */
const BREAK_SIGN = "\u240a";

function onOneLine(message: string): string {
  return message.replaceAll("\n", BREAK_SIGN);
}

function asWritten(line: string): string {
  return line.replaceAll(BREAK_SIGN, "\n");
}

function readLines(file: string): string[] {
  let lines: string[] = [];
  attempt(() => {
    lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
    chmodSync(file, 0o600);
  });
  if (lines.length <= 2 * LIMIT) return lines.slice(-LIMIT);
  const kept = lines.slice(-LIMIT);
  attempt(() => writeFileSync(file, `${kept.join("\n")}\n`, { mode: 0o600 }));
  return kept;
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // No file yet, or a home that is read-only.
  }
}
