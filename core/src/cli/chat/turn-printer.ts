import { inject, Lifecycle, scoped } from "tsyringe";
import { HermesError } from "../../base/errors.ts";
import type { FileRef } from "../../base/file-ref.ts";
import type { Host } from "../../host/host.ts";
import { askedText } from "../../model/approval-text.ts";
import { compactionMarker } from "../../model/compaction.ts";
import { withoutMarks, withReadableMarks } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import type { ToolCall } from "../../model/transcript.ts";
import type { SaidToTurn, StartTurnResult, Turn, TurnCause, TurnId } from "../../model/turn.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import type { Output } from "../../terminal/output.ts";
import { KeptFiles } from "../../tools/files/kept-files.ts";
import type { ResumeOutcome, TurnEvent, TurnOutcome } from "../../turn/turn-runner.ts";
import { storeWaitText } from "../store-patience.ts";
import { createAnswerPrinter, SUMMING_UP } from "./answer-printer.ts";
import { FoldedOutput } from "./folded-output.ts";
import { News } from "./news.ts";
import { noteSentFiles } from "./sent-files.ts";
import { HOST, OUTPUT } from "./tokens.ts";

export interface TurnOptions {
  /** Stops the turn; what was said until then is kept. */
  readonly signal: AbortSignal;
  readonly onEvent?: (event: TurnEvent) => void;
  /** What was typed for the turn since this was called last. */
  readonly said?: () => Promise<readonly SaidToTurn[]>;
  /** The turn has that. */
  readonly tookIn?: () => void;
}

interface SayOptions extends TurnOptions {
  /** What the store has of the message already, or may keep of it. */
  readonly cause?: Extract<TurnCause, { readonly kind: "terminal" }>;
  /** It stood in the transcript before, and has its marks: the words of others in it stay theirs. */
  readonly isAgain?: boolean;
  /** What the message brings along, in marks. */
  readonly attached?: string;
  /** The pictures and PDFs that it brings along. */
  readonly files?: readonly FileRef[];
}

/** What came of a turn. */
export type Said =
  | { readonly state: "answered"; readonly text: string }
  /** It waits for people, or for a handoff, and goes on later. */
  | { readonly state: "parked"; readonly turn: Turn }
  /** It was stopped, taken back, or is another process' by now: that was said. `isTaken`: another terminal sends it. */
  | { readonly state: "unanswered"; readonly isTaken?: boolean };

/** Runs turns, and prints their answers while they are written. */
@scoped(Lifecycle.ContainerScoped)
export class TurnPrinter {
  /**
   * `news` shows what others said before the answer; null where only the answer is wanted. `folded` keeps what is shown of
   * a tool's result only in part; null where nobody can see the rest.
   */
  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
    @inject(News) readonly news: News | null = null,
    @inject(FoldedOutput) readonly folded: FoldedOutput | null = null,
  ) {}

  /** Runs a turn on a message of the person. Throws why it has no answer. */
  say(sessionId: SessionId, text: string, options: SayOptions): Promise<Said> {
    const { cause = { kind: "terminal" }, isAgain = false, attached = "", files = [], onEvent, ...heard } = options;
    const message = {
      role: "user",
      text: (isAgain ? text : withoutMarks(text)) + attached,
      surface: "terminal",
      ...(files.length > 0 && { files }),
    } as const;
    const request = { sessionId, cause, surface: "terminal", message, tools: true, ...heard } as const;
    return this.#print(sessionId, onEvent, (show) => this.host.runner.run({ ...request, onEvent: show }));
  }

  /** Goes on with a turn that waits or was cut off, and prints the rest of it. Throws why it has no answer. */
  goOn({ id: turnId, sessionId }: Turn, { onEvent, ...heard }: TurnOptions): Promise<Said> {
    return this.#print(sessionId, onEvent, (show) => this.host.runner.resume({ turnId, ...heard, onEvent: show }));
  }

  async #print(
    sessionId: SessionId,
    onEvent: TurnOptions["onEvent"],
    run: (onEvent: (event: TurnEvent) => Promise<void>) => Promise<TurnOutcome | ResumeOutcome>,
  ): Promise<Said> {
    const { output, host, news } = this;
    const { store, clock } = host;
    using printer = createAnswerPrinter(output, clock, this.folded);
    const kept = new KeptFiles(host.home);
    let turnId: TurnId | null = null;
    printer.wait("thinking");
    const outcome = await run(show);
    printer.end();
    if (output.io.isScreen) output.line();
    switch (outcome.state) {
      case "done":
        return { state: "answered", text: outcome.text };
      case "parked":
        return { state: "parked", turn: outcome.turn };
      case "stopped":
        output.note("Stopped; what was said so far is kept.");
        return { state: "unanswered" };
      case "failed":
        throw outcome.error;
      case "refused":
        noteRefusal(output, outcome.reason, sessionId);
        return { state: "unanswered", isTaken: outcome.reason === "taken" };
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
          turnId = event.turn.id;
          news?.own(turnId);
          printer.end();
          await news?.show(sessionId);
          return printer.wait("thinking");
        case "compacting":
          return printer.wait(SUMMING_UP);
        case "compacted":
          printer.end();
          output.note(withReadableMarks(compactionMarker(event.compaction)));
          return printer.wait("thinking");
        case "fallback":
          printer.end();
          output.note(event.text);
          return printer.wait("thinking");
        case "text":
          return printer.text(event.delta);
        case "tool-call":
          return printer.toolCall(event.call, event.summary);
        case "tool-output":
          return printer.toolOutput(event.call, event.text);
        case "tool-result":
          printer.toolResult(event.call, event.text, event.isError, event.isError ? null : await diffOf(event.call));
          noteSentFiles(output, event.files);
          return printer.wait("thinking");
      }
    }

    async function diffOf({ id }: ToolCall): Promise<string | null> {
      const diff = turnId === null || !output.io.draws ? null : await kept.diffOf(sessionId, turnId, id);
      return diff && host.redact(diff);
    }

    async function waitsFor(refusal: Extract<StartTurnResult, { readonly ok: false }>): Promise<string> {
      if (refusal.reason === "handoff") return `waiting for the handoff to ${refusal.platform}`;
      if (refusal.reason === "waiting") {
        const [first] = await store.approvals.open(sessionId);
        return first === undefined
          ? "waiting for a turn that goes on elsewhere"
          : `waiting for an answer (/approve ${first.code}): ${askedText(first)}`;
      }
      if (refusal.reason !== "busy") return "waiting";
      return `waiting for the turn that runs ${await lookUpPlace(store, refusal.turn.surface)}`;
    }
  }
}

type Refusal = Extract<TurnOutcome | ResumeOutcome, { readonly state: "refused" }>["reason"];

const REFUSALS: Readonly<Partial<Record<Refusal, string>>> = {
  cancelled: "Taken back: the message was not sent.",
  taken: "Another terminal has taken this message over; it was not sent again.",
  open: "The turn waits for another answer.",
  handoff: "The turn goes on when the handoff is over.",
  held: "The turn goes on in another process; its answer is shown when it is there.",
  ended: "The turn is over.",
};

function noteRefusal(output: Output, reason: Refusal, sessionId: SessionId): void {
  if (reason === "unknown_session" || reason === "unknown")
    throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
  const text = REFUSALS[reason];
  if (text !== undefined) output.note(text);
}
