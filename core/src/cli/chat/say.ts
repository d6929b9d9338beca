import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import { withoutMarks } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import type { StartTurnResult, TurnCause } from "../../model/turn.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import type { Output } from "../../terminal/output.ts";
import type { TurnEvent } from "../../turn/turn-runner.ts";
import { storeWaitText } from "../store-patience.ts";
import { createAnswerPrinter } from "./answer-printer.ts";
import type { News } from "./news.ts";

interface Parts {
  readonly host: Host;
  readonly output: Output;
  /** Shows what others said before the answer; null where only the answer is wanted. */
  readonly news: News | null;
  /** Stops the turn; what was said until then is kept. */
  readonly signal: AbortSignal;
  /** What the store has of the message already, or may keep of it. */
  readonly cause?: Extract<TurnCause, { readonly kind: "terminal" }>;
  readonly onEvent?: (event: TurnEvent) => void;
  /** It stood in the transcript before, and has its marks: the words of others in it stay theirs. */
  readonly isAgain?: boolean;
}

/**
 * Runs a turn on a message of the person, and prints its answer while it is written. Returns the answer; null where it
 * was stopped. Throws why there is none.
 */
export async function say(
  { host, output, news, signal, cause = { kind: "terminal" }, onEvent, isAgain = false }: Parts,
  sessionId: SessionId,
  text: string,
): Promise<string | null> {
  const { store, runner, clock } = host;
  using printer = createAnswerPrinter(output, clock);
  printer.wait("thinking");
  const outcome = await runner.run({
    sessionId,
    cause,
    surface: "terminal",
    message: { role: "user", text: isAgain ? text : withoutMarks(text), surface: "terminal" },
    tools: true,
    signal,
    onEvent: show,
  });
  printer.end();
  if (output.io.isScreen) output.line();
  switch (outcome.state) {
    case "done":
      return outcome.text;
    case "stopped":
      output.note("Stopped; what was said so far is kept.");
      return null;
    case "parked":
      return null;
    case "failed":
      throw outcome.error;
    case "refused":
      if (outcome.reason === "unknown_session") throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
      if (outcome.reason === "cancelled") output.note("Taken back: the message was not sent.");
      if (outcome.reason === "taken")
        output.note("Another terminal has taken this message over; it was not sent again.");
      return null;
  }

  async function show(event: TurnEvent): Promise<void> {
    onEvent?.(event);
    switch (event.type) {
      case "waiting": {
        if (event.for.reason === "store") {
          // Whole sentences, which a line that is drawn again and again would cut.
          output.note(storeWaitText(event.for.error, output));
          return printer.wait("waiting for the store");
        }
        const why =
          event.for.reason === "model"
            ? `waiting ${Math.ceil(event.for.waitMs / 1_000)} s: ${event.for.why}`
            : await waitsFor(event.for);
        if (!output.io.draws) output.note(why);
        return printer.wait(why);
      }
      case "started":
        news?.own(event.turn.id);
        printer.end();
        await news?.show(sessionId);
        return printer.wait("thinking");
      case "text":
        return printer.text(event.delta);
      case "tool-call":
        return printer.toolCall(event.call);
      case "tool-result":
        if (event.isError) printer.toolFailed(event.call, event.text);
        return printer.wait("thinking");
    }
  }

  async function waitsFor(refusal: Extract<StartTurnResult, { readonly ok: false }>): Promise<string> {
    if (refusal.reason === "handoff") return `waiting for the handoff to ${refusal.platform}`;
    if (refusal.reason !== "busy") return "waiting";
    return `waiting for the turn that runs ${await lookUpPlace(store.bindings, refusal.turn.surface)}`;
  }
}
