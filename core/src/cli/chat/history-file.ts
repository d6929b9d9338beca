import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Redactor } from "../../base/redact.ts";
import { onOneLine } from "../../terminal/paste-input.ts";

/** How many lines are kept. */
const LIMIT = 1_000;

/** What was typed before, across runs; the owner's alone. A home that cannot be written to costs the history only. */
export interface HistoryFile {
  /** The latest first, as readline wants it. */
  readonly lines: readonly string[];
  add(message: string): void;
}

export function openHistory(home: string, redact: Redactor): HistoryFile {
  const file = join(home, "chat-history");
  const lines = readLines(file);
  let last = lines.at(-1);
  return {
    lines: lines.toReversed(),
    add(message) {
      const line = redact(onOneLine(message));
      if (line === last || line.trim() === "") return;
      last = line;
      attempt(() => appendFileSync(file, `${line}\n`, { mode: 0o600 }));
    },
  };
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
