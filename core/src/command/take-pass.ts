import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import { refuseWhileInFlight } from "../handoff/handoff-in-flight.ts";
import { OPERATOR, type Session } from "../model/session.ts";
import type { Store } from "../store/store.ts";

/** Uses a pass in the terminal, whose person is the operator. Throws CODE_INVALID, HANDOFF_IN_FLIGHT. */
export async function takePass(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  code: string,
): Promise<Session> {
  const pass = await store.codes.find(code);
  const isTheirs = pass?.kind === "pass" && (pass.person === null || pass.person === OPERATOR);
  const session = isTheirs && pass.sessionId !== null ? await store.sessions.get(pass.sessionId) : null;
  if (pass === null || session === null) throw new HermesError("CODE_INVALID", {});
  await refuseWhileInFlight({ store, clock }, session.id);
  if (!(await store.codes.take(pass.number))) throw new HermesError("CODE_INVALID", {});
  return session;
}
