import type { SessionId, TranscriptMessage } from "@hermes/core/embed";
import type { HermesMachine } from "./hermes-process.ts";

/** What `hermes handoff --json` prints. */
export interface HandoffDocument {
  readonly handoffId: string;
  readonly sessionId: string;
  readonly platform: string;
  readonly state: string;
  readonly step: string | null;
  readonly link: string | null;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
}

/** A new session with one question and its answer. */
export async function begin(machine: HermesMachine, question: string): Promise<SessionId> {
  const { sessionId } = await machine.json<{ sessionId: SessionId }>("chat", "-q", question);
  return sessionId;
}

/** Hands a session off to the page, from a process of its own. Returns the thread, too. */
export async function handOff(
  machine: HermesMachine,
  sessionId: string,
): Promise<{ readonly threadId: string; readonly handoff: HandoffDocument }> {
  const handoff = await machine.json<HandoffDocument>("handoff", "web", "--session", sessionId);
  return { threadId: threadOf(handoff.link), handoff };
}

/** The thread that a link leads to. */
export function threadOf(link: string | null): string {
  const threadId = link === null ? undefined : new URL(link).pathname.split("/").at(-1);
  if (!threadId) throw new Error(`${link} leads to no thread`);
  return threadId;
}

export async function transcript(machine: HermesMachine, sessionId: SessionId): Promise<readonly TranscriptMessage[]> {
  return (await machine.store()).transcripts.read(sessionId);
}

/** Who said what, a line for each message. */
export async function said(machine: HermesMachine, sessionId: SessionId): Promise<string[]> {
  const messages = await transcript(machine, sessionId);
  return messages.map(({ role, text, internal }) => `${internal ? "hermes" : role}: ${text}`);
}
