import picocolors from "picocolors";
import { parseSections } from "../markdown/parse-markdown.ts";
import { renderBlocks } from "./blocks.ts";
import type { TerminalContext } from "./inline.ts";
import type { Io } from "./io.ts";
import { Styled } from "./styled.ts";

export interface TerminalOptions {
  /** In columns. */
  readonly width: number;
  /** Whether styles are written as escape sequences; otherwise Markdown's own marks stay. */
  readonly color: boolean;
}

/**
 * Renders Markdown as lines for a terminal. Control characters in it become visible symbols, so that no text can control
 * the terminal: the only escape sequences are those of the styles. The result has no line break at its end.
 */
export function renderForTerminal(markdown: string, { width, color }: TerminalOptions): string {
  const context = terminalContext(color);
  return Array.from(parseSections(markdown), ({ root }) => renderBlocks(root.children, width, context).join("\n")).join(
    "\n\n",
  );
}

/** Renders Markdown as wide and as colourful as the terminal is. */
export function renderOn({ columns, color }: Io, markdown: string): Styled {
  return Styled.rendered(renderForTerminal(markdown, { width: columns(), color }));
}

export function terminalContext(color: boolean): TerminalContext {
  return { colors: picocolors.createColors(color) };
}
