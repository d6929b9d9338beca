import type { Clock } from "../../base/clock.ts";
import { clip } from "../../command/words.ts";
import { createTerminalStream } from "../../markdown/terminal-stream.ts";
import type { ToolCall } from "../../session/transcript.ts";
import type { Output } from "../output.ts";
import { createSpinner } from "./spinner.ts";

/** Prints an answer while it is written. */
export interface AnswerPrinter extends Disposable {
  /** Nothing is there to print yet. */
  wait(why: string): void;
  text(delta: string): void;
  toolCall(call: ToolCall): void;
  toolFailed(call: ToolCall, text: string): void;
  /** Ends what was begun; whatever is printed next begins a line. */
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
  let part: { push(delta: string): void; end(): void } | null = null;

  const beginPart = () => {
    if (!io.isScreen) {
      // What is piped on gets the Markdown itself.
      const write = (text: string) => void io.stdout.write(text);
      return { push: write, end: () => write("\n") };
    }
    return createTerminalStream({
      width: io.columns(),
      color: io.color,
      write(text) {
        spinner.stop();
        io.stdout.write(text);
        // A block is held back until it is whole: more is being written meanwhile.
        spinner.spin("writing");
      },
    });
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
