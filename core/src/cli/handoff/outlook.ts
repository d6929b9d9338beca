import { checkHandoff, type HandoffOutlook, type HandoffWish, timeLeft } from "../../handoff/request-handoff.ts";
import type { Host } from "../../host/host.ts";
import type { Output } from "../output.ts";
import { createStatusLine } from "../status-line.ts";

/**
 * What a handoff would find, as {@link checkHandoff} has it. Says so while a platform that is changing hands is waited
 * for. `ttlMs` is what is left of the request's time.
 */
export async function outlookOnTerminal(
  output: Output,
  { store, clock }: Pick<Host, "store" | "clock">,
  wish: HandoffWish,
  { ttlMs, signal }: { readonly ttlMs: number; readonly signal: AbortSignal },
): Promise<HandoffOutlook & { readonly ttlMs: number }> {
  using status = createStatusLine(output);
  const from = clock.now();
  const why = `waiting for a gateway that takes ${wish.platform} over`;
  const onWaiting = () => (output.io.isScreen ? status.show(why) : output.note(why));
  const outlook = await checkHandoff({ store, clock }, wish, { ttlMs, signal, onWaiting });
  return { ...outlook, ttlMs: timeLeft(ttlMs, clock.now() - from) };
}
