import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { SessionId } from "../../model/session.ts";
import type { CliContext } from "../context.ts";
import { askAboutHomes } from "../home/ask.ts";
import { createChatPlace } from "./chat-place.ts";
import { say } from "./say.ts";

interface Question {
  /** Null: a new session. */
  readonly sessionId: SessionId | null;
  readonly query: string;
}

/** `hermes chat -q`: one message, one answer. Ctrl-C stops the turn, as does the end of its terminal; what was said is kept. */
export async function askOnce(context: CliContext, host: Host, { sessionId, query }: Question): Promise<number> {
  const { io, output } = context;
  const stop = new AbortController();
  using _interrupt = io.onSignal("SIGINT", () => stop.abort());
  using _hangUp = io.onSignal("SIGHUP", () => stop.abort());
  using _terminate = io.onSignal("SIGTERM", () => stop.abort());

  await askAboutHomes(host, output, null);
  const place = createChatPlace({ host, workingDirectory: io.workingDirectory, sessionId });
  const session = await place.sessionFor(query);
  output.besideError = { sessionId: session.id, text: null };
  const text = await say({ host, output, news: null, signal: stop.signal }, session.id, query);
  if (text === null) {
    const stopped = new HermesError("TURN_STOPPED", { sessionId: session.id });
    // For people that was said already, where it happened.
    if (output.json) output.error(stopped);
    return stopped.exit;
  }
  output.document({ sessionId: session.id, text });
  // Where every message is asked like this, nobody else would ever do it. The answer is out; a failure changes nothing.
  await host.store.prune().catch(() => 0);
  return 0;
}
