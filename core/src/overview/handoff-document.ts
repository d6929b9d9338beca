import { type ErrorDocument, shownFromStored } from "../base/shown-error.ts";
import type { Handoff } from "../model/handoff.ts";

type HandoffDocument = {
  readonly handoffId: string | null;
  readonly sessionId: string | null;
  readonly platform: string | null;
  readonly state: Handoff["state"] | null;
  readonly step: Handoff["step"];
  /** Where it landed: by the platform's ids, and by the names that people see. */
  readonly conversation: Handoff["conversation"];
  readonly place: string | null;
  readonly link: string | null;
  readonly error: ErrorDocument | null;
};

/** A handoff as `--json` prints it. The link is the stored one, which holds no secret. */
export function handoffDocument({
  id,
  sessionId,
  platform,
  state,
  step,
  conversation,
  place,
  link,
  error,
}: Handoff): HandoffDocument {
  const where = { conversation, place, link };
  return { handoffId: id, sessionId, platform, state, step, ...where, error: error && shownFromStored(error, null) };
}

/** The same of a handoff that was refused before there was one; its error goes with it. */
export const NO_HANDOFF: HandoffDocument = {
  handoffId: null,
  sessionId: null,
  platform: null,
  state: null,
  step: null,
  conversation: null,
  place: null,
  link: null,
  error: null,
};
