import { HermesError } from "../../base/errors.ts";
import { findSession } from "../../command/find-session.ts";
import { clip } from "../../command/words.ts";
import { refuseWhileInFlight } from "../../handoff/handoff-in-flight.ts";
import type { Host } from "../../host/host.ts";
import { EVERY_SESSION, type Session } from "../../model/session.ts";
import { askOnTerminal } from "../../terminal/input/line-reader.ts";
import { pick } from "../../terminal/input/picker.ts";
import type { Output } from "../../terminal/output.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import { askAboutInstructions } from "../ask-about-instructions.ts";
import type { CliContext } from "../context.ts";
import { printSessions, sessionFacts } from "../sessions/print-sessions.ts";
import { refuseJson } from "../usage-error.ts";
import { chat } from "./chat.ts";
import { watchSession } from "./watch-session.ts";

/** How many messages at a session's end are looked at for its preview. */
const LAST_WORDS = 12;

/**
 * `hermes resume`, which is also called `attach`: shows a session, also while a turn runs elsewhere; whoever writes
 * goes on.
 */
export async function resume(
  context: CliContext,
  reference: string | undefined,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<number> {
  refuseJson(context, "hermes resume");
  return context.withHost(async (host) => {
    const wanted = reference ?? (await choose(context, host));
    if (wanted === null) return 0;
    const session = await findSession(host.store, wanted, EVERY_SESSION);
    const isWatched = readOnly || context.io.isInteractive;
    // Of what a script pipes in, nobody sees that it waits.
    if (!isWatched) await refuseWhileInFlight(host, session.id);
    context.output.line(context.output.colors.bold(session.title ?? session.id));
    if (readOnly) return watchSession(context, host, session.id);
    const folder = host.container.resolve(TOOL_POLICY).directoryOf(session);
    if (folder !== null) await askAboutInstructions(context.output, host, folder);
    return chat(context, host, { sessionId: session.id });
  });
}

/** What the person picks from the list; null for none. */
async function choose({ io, output }: CliContext, host: Host): Promise<string | null> {
  if (!io.isInteractive) {
    throw new HermesError("USAGE", { reason: "Say which session to go on with", command: "hermes resume" });
  }
  const { sessions } = await host.store.sessions.list({ visible: EVERY_SESSION, limit: 20 });
  if (sessions.length === 0) {
    output.line("There is no session yet. `hermes` begins one.");
    return null;
  }
  if (io.draws) return (await pickSession(output, host, sessions))?.id ?? null;
  await printSessions(output, host, sessions);
  const answer = await askOnTerminal(output, "Which one? (number or title)");
  return answer === "" ? null : answer;
}

/** Chosen on the screen, with the end of what was said in each. */
async function pickSession(output: Output, host: Host, sessions: readonly Session[]): Promise<Session | null> {
  const items = sessions.map(async (session) => ({
    session,
    name: session.title ?? "untitled",
    facts: await sessionFacts(host, session),
    preview: () => lastWords(host, session),
  }));
  const listed = await Promise.all(items);
  const picked = await pick(output, "Which one?", listed);
  return listed.find((item) => item === picked)?.session ?? null;
}

async function lastWords({ store }: Host, { id }: Session): Promise<string[]> {
  const messages = await store.transcripts.read(id, { limit: LAST_WORDS });
  return messages
    .filter(({ role, internal, text }) => !internal && (role === "user" || role === "assistant") && text.trim() !== "")
    .map(({ role, text }) => clip(role === "user" ? `› ${text}` : text, 200));
}
