import type { Host } from "../../host/host.ts";
import type { SessionId } from "../../session/session.ts";
import type { CliContext } from "../context.ts";
import { createChatPlace } from "./chat-place.ts";
import { say } from "./say.ts";

interface Question {
  /** Null: a new session. */
  readonly sessionId: SessionId | null;
  readonly query: string;
}

/** `hermes chat -q`: one message, one answer. Ctrl-C stops the turn. */
export async function askOnce(context: CliContext, host: Host, { sessionId, query }: Question): Promise<number> {
  const { io, output } = context;
  const stop = new AbortController();
  using _interrupt = io.onSignal("SIGINT", () => stop.abort());

  const place = createChatPlace({ host, workingDirectory: io.workingDirectory, sessionId });
  const session = await place.sessionFor(query);
  const text = await say({ host, output, news: null, signal: stop.signal }, session.id, query);
  output.document({ sessionId: session.id, text });
  return text === null ? 1 : 0;
}
