import { type Host, OPERATOR, type SessionId } from "@hermes/core/embed";

/** A session of the terminal with one question and its answer. */
export async function terminalSession({ store, runner }: Host, title = "Plan"): Promise<SessionId> {
  const session = await store.sessions.create({ title, user: OPERATOR, origin: "terminal", originChat: null });
  await runner.run({
    sessionId: session.id,
    cause: { kind: "terminal" },
    surface: "terminal",
    message: { role: "user", text: "What is the plan?" },
    tools: true,
  });
  return session.id;
}
