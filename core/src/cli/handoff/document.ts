import type { StoredError } from "../../base/errors.ts";
import type { Handoff } from "../../session/handoff.ts";

/** A handoff as `--json` prints it. The link is the stored one, which holds no secret. */
export function handoffDocument(handoff: Handoff, error: StoredError | null = handoff.error) {
  const { id, sessionId, platform, state, step, link } = handoff;
  return { handoffId: id, sessionId, platform, state, step, link, error };
}
