import { HermesError } from "../../base/errors.ts";
import { findSession } from "../../command/find-session.ts";
import { refuseWhileInFlight } from "../../handoff/handoff-in-flight.ts";
import type { Host } from "../../host/host.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { ask } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { printSessions } from "../sessions/print-sessions.ts";
import { chat } from "./chat.ts";
import { refuseJson } from "./refuse-json.ts";

/** `hermes resume`: shows where a session stands, and goes on with it here. */
export async function resume(context: CliContext, reference: string | undefined): Promise<number> {
  refuseJson(context, "hermes resume");
  return context.withHost(async (host) => {
    const wanted = reference ?? (await choose(context, host));
    if (wanted === null) return 0;
    const session = await findSession(host.store, wanted, EVERY_SESSION);
    await refuseWhileInFlight(host, session.id);
    context.output.line(context.output.colors.bold(session.title ?? session.id));
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
  await printSessions(output, host, sessions);
  const answer = await ask(io, "Which one? (number or title)");
  return answer === "" ? null : answer;
}
