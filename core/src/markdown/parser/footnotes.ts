import type { StateBlock, StateInline } from "markdown-it";
import type { Names } from "./reader.ts";

/** The label's length is bounded, so that `[^` without an end is not scanned to the end of the text. */
const LABEL = /\[\^([^\s[\]]{1,200})\]/y;

/** The indentation of a footnote's paragraphs, in columns. */
const INDENT = 4;

/** A rule for `[^label]: text`, with the paragraphs indented below it. */
export function defineFootnote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const from = state.bMarks[startLine] ?? 0;
  const start = from + (state.tShift[startLine] ?? 0);
  const columns = state.sCount[startLine] ?? 0;
  const found = columns - state.blkIndent < INDENT ? labelAt(state.src, start) : null;
  if (found === null || state.src[found.end] !== ":") return false;
  if (silent) return true;
  (state.env as Names).footnotes.add(found.label);

  const open = state.push("footnote_open", "", 1);
  open.meta = { label: found.label };
  open.map = [startLine, endLine];
  // The rest of the line is parsed as a line of its own, indented like the lines that may follow.
  const before = { bMark: from, tShift: state.tShift[startLine] };
  const text = state.skipSpaces(found.end + 1);
  state.bMarks[startLine] = found.end + 1;
  state.tShift[startLine] = text - (found.end + 1);
  state.blkIndent += INDENT;
  state.sCount[startLine] = state.blkIndent;
  if (state.isEmpty(startLine)) state.line = startLine + 1;
  else state.md.block.tokenize(state, startLine, endLine);
  state.blkIndent -= INDENT;
  state.sCount[startLine] = columns;
  state.tShift[startLine] = before.tShift ?? 0;
  state.bMarks[startLine] = before.bMark;
  state.push("footnote_close", "", -1);
  return true;
}

/** A rule for `[^label]`, the reference to a footnote that is defined somewhere. */
export function nameFootnote(state: StateInline, silent: boolean): boolean {
  const found = labelAt(state.src, state.pos);
  if (found === null || found.end > state.posMax || !(state.env as Names).footnotes.has(found.label)) return false;
  if (!silent) state.push("footnote_reference", "", 0).meta = { label: found.label };
  state.pos = found.end;
  return true;
}

function labelAt(text: string, at: number): { readonly label: string; readonly end: number } | null {
  LABEL.lastIndex = at;
  const [whole, label] = LABEL.exec(text) ?? [];
  return whole === undefined || label === undefined ? null : { label, end: at + whole.length };
}
