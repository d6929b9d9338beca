import { HermesError } from "../../base/errors.ts";
import { shellWord } from "../../base/shell-word.ts";
import { shownFromStored } from "../../base/shown-error.ts";
import { readHandOffWords } from "../../command/hand-off-words.ts";
import { type HandoffOutlook, requestHandoff } from "../../handoff/request-handoff.ts";
import { resolvePlace } from "../../handoff/resolve-place.ts";
import type { Host } from "../../host/host.ts";
import type { Handoff } from "../../model/handoff.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import { isYes } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { launchGateway } from "../gateway/launch.ts";
import { noteOtherConfig } from "../gateway/other-config.ts";
import { followOnTerminal } from "../handoff/follow.ts";
import { outlookOnTerminal } from "../handoff/outlook.ts";
import { audienceQuestion, printArrival } from "../handoff/print-arrival.ts";
import type { ChatPlace } from "./chat-place.ts";

/** How long a gateway may take to claim it, in milliseconds. */
const CLAIM_WITHIN_MS = 60_000;

interface HandOffOptions {
  /** The chat stays open on the session. */
  readonly stays: boolean;
  /** Cancels a handoff that waits, and lets go of one that runs. */
  readonly signal: AbortSignal;
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
  const session = await host.store.sessions.get(ended.sessionId);
  if (ended.state === "completed") await printArrival(output, host, ended, session?.title ?? null, { stays });
  else output.line(`It goes on by itself: \`hermes handoffs show ${ended.id}\`.`);
  return { hasLeft: !stays };
}

/** `/handoff` in the chat. `hasLeft`: the session is at the platform or on its way, and the chat ends. */
export async function handOffFromTerminal(
  context: CliContext,
  host: Host,
  reader: LineReader,
  place: ChatPlace,
  typed: string,
  { stays, signal }: HandOffOptions,
): Promise<{ readonly hasLeft: boolean }> {
  const { output } = context;
  const { store, clock } = host;
  const current = await place.session();
  const { where, isMeant: isConfirmed } = readHandOffWords(typed);
  const to = await resolvePlace(store, where);
  if (to.kind === "terminal") {
    throw new HermesError("HANDOFF_IN_TERMINAL", {
      reference: current === null ? "<session>" : shellWord(current.title ?? current.id),
    });
  }
  const configured = host.config.plugins.map(({ descriptor }) => descriptor.platform);
  const wish = { sessionId: current?.id ?? null, to, configured };

  const { audience, gateway, ttlMs } = await outlook();
  noteOtherConfig(output, host, gateway);
  if (audience !== null && !isConfirmed && !(await isMeant(audience))) {
    output.line("Not handed off.");
    return { hasLeft: false };
  }
  // A session without a message can be handed off too; it is made only now, when nothing is in the way.
  const session = current ?? (await place.startSession());
  const request = { ...wish, sessionId: session.id, from: "terminal", ttlMs, signal } as const;
  const { handoff } = await requestHandoff({ store, clock }, request);
  return followFromChat(output, host, handoff, { stays, signal });

  /** What the handoff would find. Offers to start a gateway where none runs. */
  async function outlook(): Promise<HandoffOutlook & { readonly ttlMs: number }> {
    const wait = { ttlMs: CLAIM_WITHIN_MS, signal };
    try {
      return await outlookOnTerminal(output, host, wish, wait);
    } catch (error) {
      if (!(error instanceof HermesError) || error.code !== "HANDOFF_NO_GATEWAY") throw error;
      if (!isYes(await reader.ask(`${error.message} Start one now? (y/n)`))) throw error;
      const { holder } = await launchGateway(context, host, { platform: wish.to.platform });
      output.note(`A gateway runs now (pid ${holder.pid}); \`hermes gateway stop\` stops it.`);
      return await outlookOnTerminal(output, host, wish, wait);
    }
  }

  async function isMeant(audience: string): Promise<boolean> {
    const answer = await reader.ask(`${audienceQuestion(audience)} (y/n)`);
    if (answer !== null) return isYes(answer);
    throw new HermesError("HANDOFF_READ_BY_OTHERS", { readers: audience, command: `/handoff ${where} yes` });
  }
}
