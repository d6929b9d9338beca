import type { Clock } from "../../base/clock.ts";
import { createSafeTextStream } from "../../base/safe-text-stream.ts";
import type { ToolCall } from "../../model/transcript.ts";
import type { Output } from "../../terminal/output.ts";
import { createScreenAnswer, type ScreenAnswer } from "../../terminal/screen-answer.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import { callLine, failureLine, LiveOutput, resultLines } from "./tool-view.ts";

/** Prints an answer while it is written. */
export interface AnswerPrinter extends Disposable {
  /** Nothing is there to print yet. */
  wait(why: string): void;
  text(delta: string): void;
  /** `summary`: what the call does; empty where it does not run. */
  toolCall(call: ToolCall, summary: string): void;
  /** What a tool puts out while it runs. */
  toolOutput(call: ToolCall, text: string): void;
  toolResult(call: ToolCall, text: string, isError: boolean): void;
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

export function createAnswerPrinter(output: Output, clock: Clock): AnswerPrinter {
  if (output.json) return SILENT;
  const { io } = output;
  const spinner = createSpinner(output, clock);
  const live = new LiveOutput(output);
  let part: ScreenAnswer | null = null;

  const beginPart = (): ScreenAnswer => {
    if (io.isScreen) return createScreenAnswer(output, clock, spinner);
    // What is piped on gets the Markdown itself, without what would steer the terminal that it may end up on.
    const safe = createSafeTextStream();
    return {
      push: (delta) => void io.stdout.write(safe.push(delta)),
      end: () => void io.stdout.write(`${safe.end()}\n`),
    };
  };
  const endPart = () => {
    part?.end();
    part = null;
    live[Symbol.dispose]();
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
      output.note(callLine(call, summary, io.columns()));
      spinner.spin(`${call.name} is running`);
    },
    toolOutput(_call, text) {
      live.add(text);
    },
    toolResult({ name }, text, isError) {
      spinner.stop();
      live[Symbol.dispose]();
      if (isError) output.note(failureLine(name, text));
      else for (const line of resultLines(text)) output.note(line);
    },
    end: endPart,
    [Symbol.dispose]: endPart,
  };
}
