import { clip } from "../../command/words.ts";
import { createLineReader, type LineReader, type LineReaderOptions } from "../../terminal/input/line-reader.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import type { ChatPlace } from "./chat-place.ts";
import { completeLine } from "./complete.ts";
import { MentionCompletion } from "./complete-mention.ts";
import { type HistoryFile, openHistory } from "./history-file.ts";
import { QueueView } from "./queue-view.ts";
import type { Running } from "./running.ts";
import { type AheadLine, TypedAhead } from "./typed-ahead.ts";

/** What the chat does with a key, or with a line that does not wait. */
export type ChatKeys = Pick<
  LineReaderOptions,
  "takeNow" | "interrupt" | "escape" | "focus" | "typed" | "goOn" | "backTab" | "unfold"
>;

/** Where the person writes: the line reader, its history, and the lines that were typed while something ran. */
export class ChatInput implements Disposable {
  readonly history: HistoryFile;
  readonly ahead: TypedAhead;
  readonly reader: LineReader;
  readonly #queue: QueueView;
  /** The line that is worked on. */
  line: AheadLine | null = null;

  constructor({ io, output }: CliContext, host: TerminalHost, place: ChatPlace, running: Running, keys: ChatKeys) {
    const configured = host.config.plugins.map(({ descriptor }) => descriptor.platform);
    const mentions = new MentionCompletion(host);
    this.history = openHistory(host.home, host.redact);
    this.ahead = new TypedAhead(host, {
      session: () => place.current,
      onKept: ({ text }) => {
        // Where the queue is drawn, it stands there.
        if (io.isInteractive && !io.draws && running.what !== null) output.note(`· waits its turn: ${clip(text, 80)}`);
      },
      onTakenOver: () => output.note("Another terminal has taken this message over; it is sent from there."),
      onChange: () => this.#queue.update(),
    });
    this.#queue = new QueueView(output, () => this.ahead.waiting());
    this.reader = createLineReader(output, {
      ...keys,
      history: this.history.lines,
      ahead: {
        push: (line) => this.ahead.push(line),
        shift: () => {
          this.line = this.ahead.shift();
          return this.line;
        },
        takeBack: () => this.ahead.takeBack(),
      },
      complete: async (line) =>
        (await mentions.complete(line, await place.session(), io.workingDirectory)) ??
        completeLine(line, place, configured),
    });
  }

  [Symbol.dispose](): void {
    this.reader[Symbol.dispose]();
    this.#queue[Symbol.dispose]();
  }
}
