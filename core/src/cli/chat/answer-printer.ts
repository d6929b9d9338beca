import type { Clock } from "../../base/clock.ts";
import { createSafeTextStream } from "../../base/safe-text-stream.ts";
import { clip } from "../../command/words.ts";
import type { ToolCall } from "../../model/transcript.ts";
import type { Output } from "../../terminal/output.ts";
import { createScreenAnswer, type ScreenAnswer } from "../../terminal/screen-answer.ts";
import { createSpinner } from "../../terminal/spinner.ts";

/** Prints an answer while it is written. */
export interface AnswerPrinter extends Disposable {
  /** Nothing is there to print yet. */
  wait(why: string): void;
  text(delta: string): void;
  toolCall(call: ToolCall): void;
  toolFailed(call: ToolCall, text: string): void;
  /** Ends the open line, so that the next output begins a new one. */
  end(): void;
}

/** With `--json` the answer is a part of the document. */
const SILENT: AnswerPrinter = {
  wait() {},
  text() {},
  toolCall() {},
  toolFailed() {},
  end() {},
  [Symbol.dispose]() {},
};

export function createAnswerPrinter(output: Output, clock: Clock): AnswerPrinter {
  if (output.json) return SILENT;
  const { io } = output;
  const spinner = createSpinner(output, clock);
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
    spinner.stop();
  };

  return {
    wait: (why) => spinner.spin(why),
    text(delta) {
      part ??= beginPart();
      part.push(delta);
    },
    toolCall({ name, input }) {
      endPart();
      output.note(`· ${name} ${clip(JSON.stringify(input ?? {}), 80)}`);
      spinner.spin(`${name} is running`);
    },
    toolFailed({ name }, text) {
      spinner.stop();
      output.note(`· ${name} failed: ${clip(text, 200)}`);
    },
    end: endPart,
    [Symbol.dispose]: endPart,
  };
}
