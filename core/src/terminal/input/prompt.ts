import { createInterface } from "node:readline";
import type { ReadStream } from "node:tty";
import { oneLine } from "../../base/one-line.ts";
import type { Output } from "../output.ts";
import { Styled } from "../styled.ts";
import { type Key, KeyDecoder } from "./keys.ts";
import { LineEditor } from "./line-editor.ts";
import { RawTerminal } from "./raw-terminal.ts";

/**
 * What a person did at a question: `interrupted` by Ctrl-C, `ended` with the terminal, `overtaken` by the caller's
 * signal.
 */
export type Reply =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "interrupted" | "ended" | "overtaken" };

export interface PromptOptions {
  /** Whether the answer is a secret, which is not shown. */
  readonly isUnseen?: boolean;
  /** Takes the question away. */
  readonly signal?: AbortSignal;
}

/** How long a terminal stays without its echo behind an answer, in milliseconds: the next question may be for a secret. */
const UNECHOED_MS = 200;

/** Asks one question of the person at the terminal, and tells an empty answer from Ctrl-C and from the end of input. */
export async function promptOnTerminal(output: Output, question: string, options: PromptOptions = {}): Promise<Reply> {
  const { signal, isUnseen = false } = options;
  if (signal?.aborted) return { kind: "overtaken" };
  const { io } = output;
  const { promise, resolve } = Promise.withResolvers<Reply>();
  const asked = `${oneLine(question)} `;
  using _prompt = io.draws
    ? drawnPrompt(output, asked, isUnseen, resolve)
    : isUnseen
      ? unseenLine(output, asked, resolve)
      : plainLine(output, asked, resolve);
  const overtake = () => resolve({ kind: "overtaken" });
  signal?.addEventListener("abort", overtake, { once: true });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener("abort", overtake);
  }
}

type Give = (reply: Reply) => void;

/** At the foot of a screen, edited like any line. */
function drawnPrompt(output: Output, question: string, isUnseen: boolean, give: Give): Disposable {
  const { foot, io, colors } = output;
  let isOver = false;
  let isAnswered = false;
  const end = (reply: Reply) => {
    isOver = true;
    isAnswered = reply.kind === "answer";
    give(reply);
  };
  const editor = new LineEditor({
    prompt: Styled.from(question),
    recall: null,
    isUnseen,
    styles: colors,
    complete: () => Promise.resolve([]),
    onChange: () => foot.redraw(),
  });
  const terminal = new RawTerminal(io, foot, {
    onKey(key: Key) {
      const outcome = editor.handle(key);
      if (outcome?.type === "submit") {
        output.line(Styled.rendered(editor.sent(outcome.text)));
        end({ kind: "answer", text: outcome.text });
      } else if (outcome?.type === "interrupt") end({ kind: "interrupted" });
      else if (outcome?.type === "end") end({ kind: "ended" });
      else if (outcome?.type === "suspend") terminal.suspend();
      else if (outcome?.type === "clear-screen") foot.clearScreen();
      return !isOver;
    },
    onPause: () => foot.redraw(),
    onEnd: () => end({ kind: "ended" }),
  });
  const region = foot.place("input", (width, room) => editor.draw(width, room));
  return {
    [Symbol.dispose]() {
      region[Symbol.dispose]();
      if (isAnswered) terminal.handOver(UNECHOED_MS);
      else terminal[Symbol.dispose]();
    },
  };
}

/** A line as the terminal's own line mode gives it. */
function plainLine({ io, foot }: Output, question: string, give: Give): Disposable {
  const reader = createInterface({ input: io.stdin, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
  const standing = foot.stand(question);
  const interrupt = io.onSignal("SIGINT", () => {
    io.stdout.write("\n");
    give({ kind: "interrupted" });
  });
  reader.on("line", (text) => give({ kind: "answer", text }));
  reader.on("close", () => give({ kind: "ended" }));
  return {
    [Symbol.dispose]() {
      standing[Symbol.dispose]();
      interrupt[Symbol.dispose]();
      reader.close();
    },
  };
}

/** A line on a terminal that is not drawn on, whose keys are not echoed. */
function unseenLine({ io, foot }: Output, question: string, give: Give): Disposable {
  const keys: typeof io.stdin & Partial<Pick<ReadStream, "setRawMode">> = io.stdin;
  const decoder = new KeyDecoder();
  // Before the person is asked to type.
  keys.setRawMode?.(true);
  const standing = foot.stand(question);
  let text = "";
  const end = (reply: Reply) => {
    io.stdout.write("\n");
    give(reply);
  };
  const take = (chunk: Buffer | string) => {
    decoder.feed(chunk);
    for (let key = decoder.next(); key !== null; key = decoder.next()) {
      if (key.type !== "chord") text += key.text;
      else if (key.chord === "backspace") text = text.slice(0, -1);
      else if (key.chord === "C-u") text = "";
      else if (key.chord === "enter") return end({ kind: "answer", text });
      else if (key.chord === "C-c") return end({ kind: "interrupted" });
      else if (key.chord === "C-d" && text === "") return end({ kind: "ended" });
    }
  };
  const gone = () => end({ kind: "ended" });
  keys.on("data", take).on("end", gone);
  keys.resume();
  return {
    [Symbol.dispose]() {
      standing[Symbol.dispose]();
      keys.off("data", take).off("end", gone);
      keys.pause();
      keys.setRawMode?.(false);
      const rest = decoder.rest();
      if (rest !== "" && !keys.readableEnded) keys.unshift(Buffer.from(rest));
    },
  };
}
