import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import { checkHandoff, requestHandoff } from "../handoff/request-handoff.ts";
import { resolvePlace } from "../handoff/resolve-place.ts";
import { sendToTerminal } from "../handoff/send-to-terminal.ts";
import type { SessionId } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { handoffDocument } from "./handoff-document.ts";

/**
 * Asks for a handoff to a place by name, and waits for nothing: `hermes handoff --no-wait --json`. Throws what is in the
 * way, and HANDOFF_READ_BY_OTHERS where others can read there and nobody said `yes` to that.
 */
export async function handOffAtOnce(
  parts: { readonly store: Store; readonly clock: Clock },
  { id, to: place, yes = false }: { readonly id: string; readonly to: string; readonly yes?: boolean | undefined },
) {
  const { store } = parts;
  const session = await store.sessions.get(id as SessionId);
  if (session === null) throw new HermesError("SESSION_UNKNOWN", { reference: id });
  const to = await resolvePlace(store, place);
  if (to.kind === "terminal") return handoffDocument(await sendToTerminal(parts, session, { tells: true }));
  const wish = { sessionId: session.id, to };
  const { audience } = await checkHandoff(parts, wish);
  if (audience !== null && !yes) {
    const command = `hermes handoff ${place} --yes`;
    throw new HermesError("HANDOFF_READ_BY_OTHERS", { readers: audience, command });
  }
  const { handoff } = await requestHandoff(parts, wish);
  return handoffDocument(handoff);
}
