import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../host/host.ts";
import { EVERY_SESSION } from "../model/session.ts";
import type { Output } from "../terminal/output.ts";

/** How many sessions are looked at, those that were used last. */
const LATEST = 100;

/**
 * Says once for a home, such as after an update from a Hermes without tools, that the sessions which began on a platform
 * have none. A home without such a session hears of it when there is one.
 */
export async function noteToolsDirectory(
  output: Output,
  { config, home, store }: Pick<Host, "config" | "home" | "store">,
): Promise<void> {
  if (config.tools.directory !== null || config.plugins.length === 0) return;
  const { sessions } = await store.sessions.list({ visible: EVERY_SESSION, limit: LATEST });
  if (sessions.every(({ origin }) => origin === "terminal") || !isFirst(join(home, "cache"))) return;
  output.note(
    "In sessions that began on a platform, the agent has no tools: `tools: { directory: … }` of the config names the folder for them.",
  );
}

/** Whether this process is the one that says it. */
function isFirst(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, "tools-directory-told"), "", { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
