import { HermesError } from "../../base/errors.ts";
import { shellWord } from "../../base/shell-word.ts";
import { shownFromStored } from "../../base/shown-error.ts";
import { readHandOffWords } from "../../command/hand-off-words.ts";
import type { HandoffWish } from "../../handoff/request-handoff.ts";
import { resolvePlace } from "../../handoff/resolve-place.ts";
import type { Host } from "../../host/host.ts";
import type { Handoff } from "../../model/handoff.ts";
import type { Session } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";
import { followOnTerminal } from "../handoff/follow.ts";
import { printArrival } from "../handoff/print-arrival.ts";

export interface HandOffOptions {
  /** The chat stays open on the session. */
  readonly stays: boolean;
  /** Cancels a handoff that waits, and lets go of one that runs. */
  readonly signal: AbortSignal;
}

/** Reads where a session is to go, as it was typed behind `/handoff`. Throws HANDOFF_IN_TERMINAL. */
export async function readWish(
  { store, config }: Host,
  session: Session | null,
  typed: string,
): Promise<{ readonly wish: HandoffWish; readonly where: string; readonly isMeant: boolean }> {
  const { where, isMeant } = readHandOffWords(typed);
  const to = await resolvePlace(store, where);
  if (to.kind === "terminal") {
    const reference = session === null ? "<session>" : shellWord(session.title ?? session.id);
    throw new HermesError("HANDOFF_IN_TERMINAL", { reference });
  }
  const configured = config.plugins.map(({ descriptor }) => descriptor.platform);
  return { wish: { sessionId: session?.id ?? null, to, configured }, where, isMeant };
}

/** Shows a handoff that was asked for in the chat until it has ended, and how. */
export async function followFromChat(
  output: Output,
  host: Host,
  handoff: Handoff,
  { stays, signal }: HandOffOptions,
): Promise<{ readonly hasLeft: boolean }> {
  const claimWithinMs = handoff.expiresAt - handoff.requestedAt;
  const ended = await followOnTerminal(output, host, handoff, { claimWithinMs, signal });
  if (ended.state === "failed") {
    if (ended.error)
      output.error(shownFromStored(ended.error, `\`hermes handoffs show ${ended.id}\` shows the steps.`));
    output.line("Your session is here, unchanged.");
    return { hasLeft: false };
  }
  if (ended.state === "completed") await printArrival(output, host, ended, { stays });
  else output.line(`It goes on by itself: \`hermes handoffs show ${ended.id}\`.`);
  return { hasLeft: !stays };
}
