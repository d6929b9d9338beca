import { type FenceOpening, isClosingFence, readOpeningFence } from "../markdown/fence.ts";
import { SECTION } from "../markdown/parse-markdown.ts";
import { renderCodeLanguage, renderCodeLine } from "./blocks.ts";
import { renderForTerminal, type TerminalOptions, terminalContext } from "./render-markdown.ts";

/** `width` may be a getter: it is read for each block. */
export interface TerminalStreamOptions extends TerminalOptions {
  /** Writes whole lines. */
  write(text: string): void;
}

/** Renders a streamed Markdown text. Written lines are final. */
export interface TerminalStream {
  /** Takes the next piece, cut anywhere. */
  push(delta: string): void;
  /** Renders the block that is still held back as if it ended here. Empty within code. */
  unfinished(): string[];
  /** Writes the rest. */
  end(): void;
}

/** A line that may become an opening fence. */
const FENCE_BEGUN = /^\s{0,16}[`~]{1,3}$/;
const LIST_ITEM = /^\s{0,3}([-*+]|\d{1,9}[.)])\s/;

/**
 * Renders a text while it streams in: a block is written once it is complete, which is at the next empty line; code is
 * written line by line. A very long block is written section by section, since `unfinished` renders all that is held back
 * each time.
 */
export function createTerminalStream(options: TerminalStreamOptions): TerminalStream {
  const { color, write } = options;
  const context = terminalContext(color);
  let unfinishedLine: string[] = [];
  let block: string[] = [];
  let heldBack = 0;
  let fence: (FenceOpening & { indent: number }) | null = null;
  let hasWritten = false;

  const writeBlock = (text: string) => {
    write(`${hasWritten ? "\n" : ""}${text === "" ? "" : `${text}\n`}`);
    hasWritten = true;
  };
  const render = (lines: readonly string[]) => renderForTerminal(lines.join("\n"), { width: options.width, color });
  const flush = () => {
    const text = render(block);
    block = [];
    heldBack = 0;
    if (text !== "") writeBlock(text);
  };
  const takeLine = (line: string) => {
    if (fence) {
      if (isClosingFence(line, fence)) fence = null;
      else write(`${renderCodeLine(withoutIndent(line, fence.indent))}\n`);
      return;
    }
    const opening = readOpeningFence(line);
    if (opening) {
      flush();
      fence = { ...opening, indent: line.search(/\S/) };
      const language = opening.info.split(/\s/, 1)[0] ?? "";
      writeBlock(language === "" ? "" : renderCodeLanguage(language, context));
      return;
    }
    const isBlank = line.trim() === "";
    // After an empty line, a list continues with lines that are indented below its item.
    const isInList = LIST_ITEM.test(block[0] ?? "");
    if (isBlank && isInList) block.push("");
    else if (isBlank) flush();
    else {
      if (isInList && block.at(-1) === "" && !/^\s{2,}/.test(line)) flush();
      block.push(line);
    }
  };

  const endLine = () => {
    const line = unfinishedLine.join("");
    unfinishedLine = [];
    takeLine(line.replace(/\r$/, ""));
  };

  return {
    push(delta) {
      const [first = "", ...lines] = delta.split("\n");
      unfinishedLine.push(first);
      for (const line of lines) {
        endLine();
        unfinishedLine.push(line);
      }
      heldBack += delta.length;
      if (fence || heldBack <= SECTION.length) return;
      if (block.length === 0) endLine();
      flush();
    },
    unfinished() {
      if (fence) return [];
      const line = unfinishedLine.join("").replace(/\r$/, "");
      const isFence = FENCE_BEGUN.test(line) || readOpeningFence(line) !== null;
      const text = render(isFence ? block : [...block, line]);
      if (text === "") return [];
      return [...(hasWritten ? [""] : []), ...text.split("\n")];
    },
    end() {
      if (unfinishedLine.length > 0) endLine();
      fence = null;
      flush();
    },
  };
}

function withoutIndent(line: string, indent: number): string {
  return line.slice(Math.min(indent, Math.max(0, line.search(/\S|$/))));
}
