import { readdirSync, rmdirSync, rmSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../model/session.ts";
import { outputsOf } from "./outputs.ts";

/** Milliseconds for which what a call kept stays, as finished rows of the store do. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Deletes what calls of a session kept. */
export function dropOutputs(home: string, session: SessionId): void {
  rmSync(outputsOf(home, session), { recursive: true, force: true });
}

/** Deletes what calls kept in Hermes' home: of sessions that are gone all of it, of others what is 30 days old. */
export async function pruneOutputs(
  home: string,
  clock: Clock,
  hasSession: (id: SessionId) => Promise<boolean>,
): Promise<void> {
  const before = clock.now() - KEPT_MS;
  for (const name of namesIn(join(home, "outputs"))) {
    const session = decodeURIComponent(name) as SessionId;
    if (await hasSession(session)) pruneFolder(join(home, "outputs", name), before);
    else dropOutputs(home, session);
  }
}

/** Deletes files that were last written before a time, then folders with nothing left in them. */
function pruneFolder(folder: string, before: number): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const stats = statsOf(path);
    if (stats?.isDirectory()) pruneFolder(path, before);
    else if (stats && stats.mtimeMs < before) rmSync(path, { force: true });
  }
  // One that a call is about to write into is left for the next time.
  const stats = statsOf(folder);
  if (stats && stats.mtimeMs < before && namesIn(folder).length === 0) rmdirSync(folder);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
