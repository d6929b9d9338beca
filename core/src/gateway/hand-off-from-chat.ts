import { chatOf } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import { HermesError } from "../base/errors.ts";
import type { CommandResult } from "../command/command.ts";
import { readHandOffWords } from "../command/hand-off-words.ts";
import { placeLeftText } from "../handoff/place-left.ts";
import { checkHandoff, requestHandoff } from "../handoff/request-handoff.ts";
import { resolvePlace } from "../handoff/resolve-place.ts";
import { sendToTerminal } from "../handoff/send-to-terminal.ts";
import type { Host } from "../host/host.ts";
import { escapeMarkdown } from "../markdown/index.ts";
import { type HandoffTarget, typedTarget } from "../model/place.ts";
import type { HandOffFrom } from "./account/account.ts";

/** `/handoff` on a platform. What others would read needs the word `yes`; in a shared chat only its own sessions leave. */
export async function handOffFromChat(
  { store, clock }: Pick<Host, "store" | "clock">,
  { session, from, by, at, where: typed, ...place }: Parameters<HandOffFrom>[0],
  signal: AbortSignal,
): Promise<CommandResult> {
  const isShared = at.kind !== "dm";
  if (isShared && session.originChat !== buildSessionKey(chatOf(at))) throw new HermesError("HANDOFF_NOT_OURS", {});
  const { where, isMeant } = readHandOffWords(typed);
  const to = await resolve();
  if (to.kind === "terminal") {
    await sendToTerminal({ store, clock }, session, { from, tells: false });
    return { reply: placeLeftText(session.title, "in the terminal", null) };
  }
  const wish = { sessionId: session.id, to, by };
  const { audience: readers } = await checkHandoff({ store, clock }, wish, { ttlMs: WAIT_MS, signal });
  if (readers !== null && !isMeant) {
    throw new HermesError("HANDOFF_READ_BY_OTHERS", { readers, command: place.typed(`handoff ${where} yes`) });
  }
  const { audience } = await requestHandoff({ store, clock }, { ...wish, from, signal });
  const who = audience === null ? "" : ` ${escapeMarkdown(audience)} will read it.`;
  return { reply: `This session is on its way to ${escapeMarkdown(typedTarget(to))}.${who}` };

  /** Names of other places are not for everybody in a shared chat. */
  async function resolve(): Promise<HandoffTarget> {
    try {
      return await resolvePlace(store, where);
    } catch (error) {
      const isList = error instanceof HermesError && /^PLACE_(MISTYPED|AMBIGUOUS)$/.test(error.code);
      if (!isShared || !isList) throw error;
      throw new HermesError("PLACE_UNCLEAR_HERE", { place: where });
    }
  }
}

/** How long a platform that soon can be had is waited for, in milliseconds. */
const WAIT_MS = 60_000;
