import { shellWord } from "../../base/shell-word.ts";
import { handoffInFlight } from "../../handoff/handoff-in-flight.ts";
import { typedTarget } from "../../model/place.ts";
import type { SessionId } from "../../model/session.ts";
import type { Store } from "../../store/store.ts";
import type { Output } from "../../terminal/output.ts";

/** Records that somebody leaves a terminal whose session is to go elsewhere by itself, and tells them whether it does. */
export async function leaveAway(output: Output, store: Store, sessionId: SessionId | null): Promise<void> {
  const away = sessionId === null ? null : await store.away.get(sessionId);
  if (sessionId === null || away === null) return;
  await store.away.left(sessionId);
  const session = await store.sessions.get(sessionId);
  if (session?.lastSurface !== "terminal" || !output.io.isInteractive) return;
  if ((await handoffInFlight(store, sessionId)) !== null) return;
  const where = typedTarget(away.to);
  const turn = await store.turns.running(sessionId);
  output.note(
    turn === null
      ? `Nothing of this session runs any more, so it stays here: \`hermes handoff ${shellWord(where)} --session ${sessionId}\` moves it now.`
      : turn.state === "waiting"
        ? `What this session asks goes to ${where}, as soon as no terminal has it open.`
        : `This session goes to ${where} when the turn that runs in another terminal has ended.`,
  );
}
