import { oneLine } from "../../base/one-line.ts";
import { columnsOf, visibleText } from "../../markdown/text-width.ts";
import type { Output } from "../output.ts";
import { Styled } from "../styled.ts";
import { editorOf, writeInEditor } from "./external-editor.ts";
import type { Key } from "./keys.ts";
import { LineEditor, type Outcome } from "./line-editor.ts";
import type { LineReader, LineReaderOptions, StandingQuestion } from "./line-reader.ts";
import { type Choosable, pick } from "./picker.ts";
import type { Reply } from "./prompt.ts";
import { RawTerminal } from "./raw-terminal.ts";
import { Recall } from "./recall.ts";

interface Question {
  readonly editor: LineEditor;
  /** What was begun before it is written to its end first. */
  readonly isBehindLine: boolean;
  give(answer: string | null): void;
  interrupt(): void;
}

const LINE_FIRST = "Enter sends this line after the turn; then the question is yours.";

/**
 * The lines that a person writes at the foot of the screen, also while an answer is printed above; Enter then queues the
 * line.
 */
export class EditedLines implements LineReader {
  readonly #output: Output;
  readonly #options: LineReaderOptions;
  readonly #recall: Recall;
  readonly #editor: LineEditor;
  #terminal: RawTerminal;
  #regions: readonly Disposable[] = [];
  #waiting: ((line: string | null) => void) | null = null;
  #question: Question | null = null;
  /** Lines are read; else questions are asked alone. */
  #isOpen = false;
  #hasEnded = false;
  /** Whether the last key was an Esc that closed nothing. */
  #isEscaped = false;

  constructor(output: Output, options: LineReaderOptions) {
    this.#output = output;
    this.#options = options;
    this.#recall = new Recall(options.history);
    this.#editor = this.#createEditor(output.colors.cyan("› "), this.#recall, { takeBack: () => this.#takeBack() });
    this.#terminal = this.#listen();
  }

  #listen(): RawTerminal {
    const { io, foot } = this.#output;
    return new RawTerminal(io, foot, {
      ...(this.#options.focus && { onFocus: (isFocused: boolean) => this.#options.focus?.(isFocused) }),
      onKey: (key) => this.#take(key),
      onPause: () => foot.redraw(),
      onEnd: () => this.end(),
    });
  }

  next(): Promise<string | null> {
    const ahead = this.#options.ahead.shift();
    if (ahead !== null) {
      this.#keep(this.#editor, ahead.text);
      return Promise.resolve(ahead.text);
    }
    if (this.#hasEnded) return Promise.resolve(null);
    this.#isOpen = true;
    this.#show();
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  ask(question: string): Promise<string | null> {
    if (this.#hasEnded) return Promise.resolve(null);
    return new Promise((resolve) => {
      const { before, asked } = inSight(oneLine(question), this.#output.io.columns());
      if (before !== "") this.#output.line(before);
      const editor = this.#createEditor(Styled.from(`${asked} `), null);
      this.#question = { editor, isBehindLine: false, give: resolve, interrupt: () => this.#answer("") };
      this.#show();
    });
  }

  decide({ prompt, hint, signal }: StandingQuestion): Promise<Reply> {
    if (this.#hasEnded) return Promise.resolve({ kind: "ended" });
    if (signal.aborted) return Promise.resolve({ kind: "overtaken" });
    const { foot } = this.#output;
    return new Promise((resolve) => {
      const editor = this.#createEditor(prompt, null, { completes: true });
      const draw = () => {
        const lines = this.#inUse === editor ? hint(editor.text) : [Styled.from(LINE_FIRST)];
        return { rows: lines.map(({ ansi }) => ansi) };
      };
      const close = (reply: Reply) => {
        if (this.#question === question) this.#question = null;
        signal.removeEventListener("abort", overtake);
        region[Symbol.dispose]();
        if (!this.#isOpen) this.#hide();
        foot.redraw();
        resolve(reply);
      };
      const overtake = () => close({ kind: "overtaken" });
      const question: Question = {
        ...{ editor, isBehindLine: true },
        give: (text) => close(text === null ? { kind: "ended" } : { kind: "answer", text }),
        interrupt: () => close({ kind: "interrupted" }),
      };
      signal.addEventListener("abort", overtake, { once: true });
      this.#question = question;
      const region = foot.place("question", draw);
      this.#show();
    });
  }

  async choose(question: string, items: readonly Choosable[]) {
    if (this.#hasEnded) return null;
    const { stdin } = this.#output.io;
    this.#hide();
    this.#terminal.handOver();
    const listed = items.map((item) => ({ ...item, preview: () => Promise.resolve([]) }));
    const picked = await pick(this.#output, question, listed);
    this.#terminal = this.#listen();
    if (stdin.readableEnded || stdin.destroyed) this.end();
    else if (this.#isOpen) this.#show();
    return picked === null ? null : listed.findIndex((item) => item === picked);
  }

  wake(): void {
    this.#give("");
  }

  interrupt(): void {
    if (this.#question === null) this.#options.interrupt();
    else if (this.#inUse === this.#question.editor) this.#question.interrupt();
    else this.discard();
  }

  discard(): void {
    if (this.#editor.text !== "") this.#editor.replace("");
    this.#output.foot.redraw();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#options.typed?.();
    this.#hasEnded = true;
    this.#hide();
    this.#terminal[Symbol.dispose]();
    this.#question?.give(null);
    this.#question = null;
    this.#give(null);
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #createEditor(
    prompt: Styled,
    recall: Recall | null,
    { completes = recall !== null, takeBack }: { readonly completes?: boolean; readonly takeBack?: () => boolean } = {},
  ): LineEditor {
    return new LineEditor({
      ...(takeBack && { takeBack }),
      prompt,
      recall,
      styles: this.#output.colors,
      complete: (line) => (completes ? this.#options.complete(line) : Promise.resolve([])),
      onChange: () => this.#output.foot.redraw(),
    });
  }

  get #inUse(): LineEditor {
    if (this.#question === null || (this.#question.isBehindLine && this.#editor.text !== "")) return this.#editor;
    return this.#question.editor;
  }

  #show(): void {
    const { foot } = this.#output;
    if (this.#hasEnded) return;
    if (this.#regions.length > 0) {
      foot.redraw();
      return;
    }
    this.#regions = [
      foot.place("input", (width, room) => this.#inUse.draw(width, room)),
      foot.place("completion", (width, room) => this.#inUse.drawBelow(width, room)),
    ];
  }

  #hide(): void {
    for (const region of this.#regions) region[Symbol.dispose]();
    this.#regions = [];
  }

  /** Leaves the sent text on the screen. */
  #keep(editor: LineEditor, text: string): void {
    this.#output.line(Styled.rendered(editor.sent(text)));
  }

  #take(key: Key): boolean {
    this.#options.typed?.();
    const editor = this.#inUse;
    const outcome = editor.handle(key);
    if (outcome?.type === "escape") this.#escape(editor);
    else {
      this.#isEscaped = false;
      if (outcome !== null) this.#act(outcome, editor);
    }
    return !this.#hasEnded;
  }

  /** At a question it does nothing: what is written there may be a no. */
  #escape(editor: LineEditor): void {
    if (editor !== this.#editor) return;
    if (this.#isEscaped) this.discard();
    else this.#options.escape?.();
    this.#isEscaped = !this.#isEscaped;
  }

  #takeBack(): boolean {
    const taking = this.#options.ahead.takeBack?.() ?? null;
    void taking?.then((text) => {
      if (text === null) return;
      const { text: begun } = this.#editor;
      this.#editor.replace(begun === "" ? text : `${text}\n${begun}`);
      this.#output.foot.redraw();
    });
    return taking !== null;
  }

  #act(outcome: Outcome, editor: LineEditor): void {
    const { foot } = this.#output;
    if (outcome.type === "submit") {
      if (editor === this.#question?.editor) this.#answer(outcome.text);
      else this.#submit(outcome.text);
    } else if (outcome.type === "interrupt") this.interrupt();
    else if (outcome.type === "end") this.end();
    else if (outcome.type === "suspend") this.#terminal.suspend();
    else if (outcome.type === "clear-screen") foot.clearScreen();
    else if (outcome.type === "back-tab") this.#options.backTab?.();
    else if (outcome.type === "unfold") this.#options.unfold?.();
    else if (outcome.type === "go-on") this.#options.goOn?.();
    else void this.#compose(editor);
  }

  #submit(text: string): void {
    this.#recall.add(text);
    if (this.#waiting !== null) {
      this.#keep(this.#editor, text);
      this.#give(text);
    } else if (this.#options.takeNow(text)) this.#keep(this.#editor, text);
    else this.#options.ahead.push(text);
  }

  #answer(text: string): void {
    const question = this.#question;
    if (question === null) return;
    this.#question = null;
    if (!this.#isOpen) this.#hide();
    this.#keep(question.editor, text);
    question.give(text);
  }

  #give(line: string | null): void {
    const give = this.#waiting;
    this.#waiting = null;
    give?.(line);
  }

  async #compose(editor: LineEditor): Promise<void> {
    const { io } = this.#output;
    const command = editorOf(io.environment);
    if (command === null) {
      this.#output.note("Set VISUAL or EDITOR to the editor in which you want to write: `export EDITOR=nano`.");
      return;
    }
    const written = await this.#terminal.lend(() => writeInEditor(command, editor.text, io.environment));
    if (written === null) this.#output.note(`“${visibleText(command)}” failed; your message is as it was.`);
    else editor.replace(written);
    this.#output.foot.redraw();
  }
}

/** Columns kept free for the answer after a question. */
const ANSWER_COLUMNS = 10;

/** A question that does not fit on a row: its last sentence is asked, and what leads to it stands above. */
function inSight(question: string, width: number): { readonly before: string; readonly asked: string } {
  const [, before = "", asked = question] = /^(.*[.?!]) ([^.?!]+[.?!](?: \(.*\))?)$/.exec(question) ?? [];
  return columnsOf(question) + ANSWER_COLUMNS <= width ? { before: "", asked: question } : { before, asked };
}
