import { ERROR_TABLE } from "../../base/error-table.ts";
import { HermesError } from "../../base/errors.ts";
import { shellWord } from "../../base/shell-word.ts";
import { shownFromStored } from "../../base/shown-error.ts";
import { requestHandoff } from "../../handoff/request-handoff.ts";
import { resolvePlace } from "../../handoff/resolve-place.ts";
import { sendToTerminal } from "../../handoff/send-to-terminal.ts";
import type { Host } from "../../host/host.ts";
import type { Handoff } from "../../model/handoff.ts";
import { handoffDocument, NO_HANDOFF } from "../../overview/handoff-document.ts";
import type { Output } from "../../terminal/output.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { noteOtherConfig } from "../gateway/other-config.ts";
import { namedOrLastSession } from "../last-session.ts";
import { followOnTerminal } from "./follow.ts";
import { outlookOnTerminal } from "./outlook.ts";
import { audienceQuestion, printArrival, resumeLine } from "./print-arrival.ts";

interface HandOffOptions {
  readonly session?: string;
  readonly wait: boolean;
  /** Seconds. */
  readonly ttl: number;
  readonly qr?: boolean;
  readonly yes?: boolean;
  /** Of `/handoff` alone. */
  readonly stay?: boolean;
}

/** `hermes handoff`: asks for a handoff, and shows it until it has arrived. */
export async function handOff(
  context: CliContext,
  where: string,
  { session: reference, wait, ttl, qr, yes, stay }: HandOffOptions,
): Promise<number> {
  const { output } = context;
  output.besideError = { ...NO_HANDOFF, platform: platformIn(where) };
  if (stay) {
    throw new HermesError("USAGE", {
      reason:
        "`--stay` is for `/handoff` in a chat, which stays open then; `hermes attach <session>` opens one afterwards",
      command: "hermes handoff",
    });
  }
  return context.withHost(async (host) => {
    const { store, clock } = host;
    const folder = context.io.workingDirectory;
    const session = await namedOrLastSession(store, { reference, folder, command: "hermes handoff" });
    output.besideError = { ...NO_HANDOFF, platform: platformIn(where), sessionId: session.id };
    if (reference === undefined)
      output.note(`Handing off “${session.title ?? session.id}”, the session last used in this folder.`);
    const to = await resolvePlace(store, where);
    if (to.kind === "terminal")
      return sentToTerminal(context, host, await sendToTerminal(host, session, { tells: true }));
    const configured = host.config.plugins.map(({ descriptor }) => descriptor.platform);
    const wish = { sessionId: session.id, to, configured };
    const letGo = new AbortController();
    using _interrupt = context.io.onSignal("SIGINT", () => letGo.abort());
    const { signal } = letGo;
    const { audience, gateway, ttlMs } = await outlookOnTerminal(output, host, wish, { ttlMs: ttl * 1000, signal });
    noteOtherConfig(output, host, gateway);
    if (audience !== null && !yes) await confirmAudience(output, audience, typedYes(where, reference));
    const { handoff } = await requestHandoff({ store, clock }, { ...wish, ttlMs, signal });
    if (!wait) {
      output.document(handoffDocument(handoff));
      output.line(`Requested. \`hermes handoffs show ${handoff.id}\` shows its progress.`);
      return 0;
    }
    const ended = await waitForEnd(context, host, handoff, { claimWithinMs: ttlMs, signal });
    return report(context, host, ended, qr);
  });
}

/** The platform of what was typed, for the document of a refusal. */
function platformIn(where: string): string {
  return where.toLowerCase().replace(/[:/].*/s, "");
}

async function sentToTerminal({ output }: CliContext, host: Host, handoff: Handoff): Promise<number> {
  output.document(handoffDocument(handoff));
  output.line(`It is in the terminal now: ${await resumeLine(output, host, handoff.sessionId)}`);
  return 0;
}

/** Others can read there: the person says yes to that, here or with `--yes`. */
async function confirmAudience(output: Output, audience: string, command: string): Promise<void> {
  if (!canAsk(output)) throw new HermesError("HANDOFF_READ_BY_OTHERS", { readers: audience, command });
  if (!(await confirm(output, audienceQuestion(audience)))) throw new HermesError("HANDOFF_CANCELLED", {});
}

/** How the same is typed when it is meant. */
function typedYes(where: string, reference: string | undefined): string {
  const named = reference === undefined ? "" : ` -s ${shellWord(reference)}`;
  return `hermes handoff ${shellWord(where)}${named} --yes`;
}

/** The handoff at its end. Throws where the wait ended before it did. */
async function waitForEnd(
  { output }: CliContext,
  host: Host,
  handoff: Handoff,
  options: { readonly claimWithinMs: number; readonly signal: AbortSignal },
): Promise<Handoff> {
  try {
    return await followOnTerminal(output, host, handoff, options);
  } catch (error) {
    output.besideError = { ...handoffDocument((await host.store.handoffs.get(handoff.id)) ?? handoff) };
    throw error;
  }
}

async function report({ output }: CliContext, host: Host, handoff: Handoff, qr = false): Promise<number> {
  output.document(handoffDocument(handoff));
  switch (handoff.state) {
    case "completed":
      if (!output.json) await printArrival(output, host, handoff, { qr });
      return 0;
    case "failed":
      if (!output.json && handoff.error) {
        output.error(shownFromStored(handoff.error, `\`hermes handoffs show ${handoff.id}\` shows how far it came.`));
      }
      output.line("Your session is here, unchanged.");
      return handoff.error ? ERROR_TABLE[handoff.error.code].exit : 1;
    default:
      output.line(`It goes on by itself: \`hermes handoffs show ${handoff.id}\`.`);
      return 3;
  }
}
