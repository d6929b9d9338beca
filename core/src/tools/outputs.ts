import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { ToolContext } from "../agent/agent.ts";
import { randomIds } from "../base/ids.ts";
import type { SessionId } from "../model/session.ts";

/** The folder of what a session's calls put out; without links, where it is there. */
export function outputsOf(home: string, session: SessionId): string {
  const folder = join(home, "outputs", encodeURIComponent(session));
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Where the whole output of a call is kept: where the runner says, else by its turn, else under a name of its own. */
export function outputFileOf(home: string, { outputFile, session, turnId, callId }: ToolContext): string {
  if (outputFile !== undefined) return outputFile;
  const folder = outputsOf(home, session.id);
  if (turnId === undefined || callId === undefined) return join(folder, "calls", randomIds.next("out"));
  return join(folder, encodeURIComponent(turnId), encodeURIComponent(callId));
}

/** Where what a command of a session puts out in the background is kept. */
export function jobFileOf(home: string, session: SessionId, id: string): string {
  return join(outputsOf(home, session), "jobs", `${id}.txt`);
}
