import { shellWord } from "../../base/shell-word.ts";
import type { Host } from "../../host/host.ts";
import type { Handoff } from "../../model/handoff.ts";
import { EVERY_SESSION, type SessionId } from "../../model/session.ts";
import { referenceTo } from "../../store/look-up-session.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import { printLink } from "./open-link.ts";

/** What a person needs when the session has arrived: the link, what went another way, and how to come back. */
export async function printArrival(
  output: Output,
  host: Host,
  { platform, place, link, warnings, sessionId }: Handoff,
  options: { readonly qr?: boolean; readonly stays?: boolean } = {},
): Promise<void> {
  for (const warning of warnings) output.line(styled`  ${output.colors.yellow(`! ${warning}`)}`);
  output.line(`It is at ${place ?? platform}.`);
  if (link !== null) await printLink(output, host, { platform, link }, options);
  if (options.stays) {
    output.line("\nGo on there, or here: messages from there are shown here as they are written.");
    return;
  }
  output.line(`\nGo on there. To come back: ${await resumeLine(output, host, sessionId)}`);
}

/** The command that brings a session back, ready to be pasted into a shell: `npx hermes resume …` where only that works. */
export async function resumeLine(output: Output, { store }: Host, id: SessionId): Promise<string> {
  const session = await store.sessions.get(id);
  const reference = session === null ? id : await referenceTo(store, session, EVERY_SESSION);
  return `${output.hermesCall} resume ${shellWord(reference)}`;
}

/** Asks whether others may read the session. `audience` names them: `Everybody in #general`. */
export function audienceQuestion(audience: string): string {
  return `${audience} will be able to read this session and write in it. Hand it off?`;
}
