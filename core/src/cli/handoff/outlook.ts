import {
  checkHandoff,
  type HandoffOutlook,
  type HandoffWaitsFor,
  type HandoffWish,
  timeLeft,
} from "../../handoff/request-handoff.ts";
import type { Host } from "../../host/host.ts";
import type { Output } from "../../terminal/output.ts";
import { createStatusLine } from "../../terminal/status-line.ts";

/**
 * What a handoff would find, as {@link checkHandoff} has it. Says so while it waits, and for what. `ttlMs` is what is left
 * of the request's time.
 */
export async function outlookOnTerminal(
  output: Output,
  { store, clock }: Pick<Host, "store" | "clock">,
  wish: HandoffWish,
  { ttlMs, signal }: { readonly ttlMs: number; readonly signal: AbortSignal },
): Promise<HandoffOutlook & { readonly ttlMs: number }> {
  using status = createStatusLine(output);
  const from = clock.now();
  const onWaiting = (waitsFor: HandoffWaitsFor) => {
    const sentence = waiting(waitsFor, wish.to.platform);
    if (output.io.draws) status.show(sentence);
    else output.note(sentence);
  };
  const outlook = await checkHandoff({ store, clock }, wish, { ttlMs, signal, onWaiting });
  return { ...outlook, ttlMs: timeLeft(ttlMs, clock.now() - from) };
}

function waiting(waitsFor: HandoffWaitsFor, platform: string): string {
  switch (waitsFor) {
    case "take-over":
      return `waiting for a gateway to take over ${platform}`;
    case "platform":
      return `waiting until ${platform} can be reached again`;
    case "gateway":
      return "waiting for the gateway, which is running but has not responded for a while";
  }
}
