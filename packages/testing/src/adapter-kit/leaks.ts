import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Emulator } from "@hermes/emulator";
import { check } from "./check.ts";

/** Anything shorter may occur in innocent texts, too. */
const SHORTEST_SECRET = 8;

/**
 * Throws if anything that Hermes wrote (its log, its store) contains a secret. A plugin's own folder may hold its
 * credentials, and is left out.
 */
export function expectNoSecrets(home: string, emulator: Emulator, secrets: readonly string[]): void {
  const wanted = secrets.filter(({ length }) => length >= SHORTEST_SECRET);
  if (wanted.length === 0) return;
  for (const file of filesOf(home)) {
    // As bytes, so that rows that the database deleted are checked, too.
    const bytes = readFileSync(join(home, file), "latin1");
    check(!wanted.some((secret) => bytes.includes(secret)), `a token of the config stands in ${file}`);
  }
  const log = JSON.stringify(emulator.log);
  check(!wanted.some((secret) => log.includes(secret)), "a token stands in the emulator's log");
}

function filesOf(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(home, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith(`plugins${sep}`));
}
