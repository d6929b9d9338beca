import type { Clock } from "../../base/clock.ts";
import { createSafeTextStream } from "../../base/safe-text-stream.ts";
import { outcomeOf } from "../../model/call-outcome.ts";
import { isNotRun, type ToolCall } from "../../model/transcript.ts";
import type { Output } from "../../terminal/output.ts";
import { createScreenAnswer, type ScreenAnswer } from "../../terminal/screen-answer.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import { styled } from "../../terminal/styled.ts";
import type { FoldedOutput } from "./folded-output.ts";
import { RunningCall } from "./running-call.ts";
import { callLine, failureText, foldedLines } from "./tool-view.ts";

/** What is said while a model sums up. */
export const SUMMING_UP = "summing up the beginning of this session";

/** Prints an answer while it is written. */
export interface AnswerPrinter extends Disposable {
  /** Nothing is there to print yet. */
  wait(why: string): void;
  text(delta: string): void;
  /** `summary`: what the call does; empty where it does not run. */
  toolCall(call: ToolCall, summary: string): void;
  /** What a tool puts out while it runs. */
  toolOutput(call: ToolCall, text: string): void;
  /** `diff`: what the call changed in a file, where that is known. */
  toolResult(call: ToolCall, text: string, isError: boolean, diff?: string | null): void;
  /** Ends the open line, so that the next output begins a new one. */
  end(): void;
}

/** With `--json` the answer is a part of the document. */
const SILENT: AnswerPrinter = {
  wait() {},
  text() {},
  toolCall() {},
  toolOutput() {},
  toolResult() {},
  end() {},
  [Symbol.dispose]() {},
};

/** `folded` keeps the result of which only a part is shown. */
export function createAnswerPrinter(output: Output, clock: Clock, folded: FoldedOutput | null = null): AnswerPrinter {
  if (output.json) return SILENT;
  const { io } = output;
  const spinner = createSpinner(output, clock);
  let part: ScreenAnswer | null = null;
  let running: RunningCall | null = null;

  const beginPart = (): ScreenAnswer => {
    if (io.isScreen) return createScreenAnswer(output, clock, spinner);
    // What is piped on gets the Markdown itself, without what would steer the terminal that it may end up on.
    const safe = createSafeTextStream();
    return {
      push: (delta) => void io.stdout.write(safe.push(delta)),
      end: () => void io.stdout.write(`${safe.end()}\n`),
    };
  };
  const endCall = () => {
    const call = running;
    running = null;
    call?.[Symbol.dispose]();
    return call;
  };
  const endPart = () => {
    part?.end();
    part = null;
    const cutOff = endCall();
    if (cutOff !== null) output.note(styled`${cutOff.line("not run")} ${output.colors.dim("was stopped")}`);
    spinner.stop();
  };

  return {
    wait: (why) => spinner.spin(why),
    text(delta) {
      part ??= beginPart();
      part.push(delta);
    },
    toolCall(call, summary) {
      endPart();
      if (io.draws) running = new RunningCall(output, clock, call, summary);
      else output.note(callLine(call, summary, io.columns()));
    },
    toolOutput(_call, text) {
      running?.add(text);
    },
    toolResult(call, text, isError, diff = null) {
      spinner.stop();
      const ended = endCall();
      if (isError) {
        const why = failureText(text);
        const line = ended?.line(isNotRun(text) ? "not run" : "failed");
        output.note(line === undefined ? `· ${call.name} ${why}` : styled`${line} ${output.colors.dim(why)}`);
        return;
      }
      const head = ended?.line("done");
      if (head !== undefined) output.note(head);
      const outcome = outcomeOf(text, diff);
      const shown = foldedLines(output, outcome, io.draws && folded !== null ? " (Ctrl-O)" : "");
      for (const line of shown.lines) output.note(line);
      if (shown.folded > 0) folded?.fold(head ?? styled`${callLine(call, "", io.columns())}`, outcome);
    },
    end: endPart,
    [Symbol.dispose]: endPart,
  };
}
