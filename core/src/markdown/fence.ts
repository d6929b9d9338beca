/** The line that opens a fenced code block. */
export interface FenceOpening {
  /** The backticks or tildes. */
  readonly marker: string;
  /** The text after them: mostly the language. */
  readonly info: string;
}

/** A fenced code block as offsets into a text. */
export interface CodeFence extends FenceOpening {
  /** The start of the opening line. */
  readonly start: number;
  /** The end of the opening line, after its line break. */
  readonly bodyStart: number;
  /** The start of the closing line; the end of the text if there is none. */
  readonly bodyEnd: number;
  /** The end of the closing line, without its line break. */
  readonly end: number;
}

/**
 * Parses a line as an opening fence. Indentation is permitted, since a block in a list is indented as far as its item; it
 * is bounded so that a hostile run of spaces costs nothing.
 */
export function readOpeningFence(line: string): FenceOpening | null {
  const [, marker = "", rest = ""] = /^[ \t]{0,16}(`{3,}|~{3,})([^\r\n]*)/.exec(line) ?? [];
  if (marker === "" || (marker.startsWith("`") && rest.includes("`"))) return null;
  return { marker, info: rest.trim() };
}

export function isClosingFence(line: string, { marker }: FenceOpening): boolean {
  const [, found = ""] = /^[ \t]{0,16}(`{3,}|~{3,})[ \t]*\r?\n?$/.exec(line) ?? [];
  return found.length >= marker.length && found.charAt(0) === marker.charAt(0);
}

/** Finds the fenced code blocks of `text`, in order. */
export function findFences(text: string): CodeFence[] {
  const fences: CodeFence[] = [];
  let open: (FenceOpening & { start: number; bodyStart: number }) | null = null;
  for (let start = 0; start < text.length; ) {
    const lineBreak = text.indexOf("\n", start);
    const next = lineBreak < 0 ? text.length : lineBreak + 1;
    const line = text.slice(start, next);
    if (open === null) {
      const opening = readOpeningFence(line);
      if (opening) open = { ...opening, start, bodyStart: next };
    } else if (isClosingFence(line, open)) {
      fences.push({ ...open, bodyEnd: start, end: start + line.trimEnd().length });
      open = null;
    }
    start = next;
  }
  if (open) fences.push({ ...open, bodyEnd: text.length, end: text.length });
  return fences;
}

/** Finds the code block around the offset `at`, or null. `fences` must be in order. */
export function fenceAround(fences: readonly CodeFence[], at: number): CodeFence | null {
  const fence = fences[firstBehind(fences, at)];
  return fence && fence.start < at ? fence : null;
}

/** The index of the first fence that ends after `at`. */
export function firstBehind(fences: readonly CodeFence[], at: number): number {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.end ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Makes a code block of `content`, with a fence longer than any run of backticks in it. */
export function fenced(content: string, language = ""): string {
  const longest = Math.max(2, ...[...content.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${content}\n${fence}`;
}
