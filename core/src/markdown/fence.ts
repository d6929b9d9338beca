/** The line that opens a fenced code block. */
export interface FenceOpening {
  /** The backticks or tildes. */
  readonly marker: string;
  /** What follows them: the language, mostly. */
  readonly info: string;
}

/** A fenced code block as offsets into a text. */
export interface Fence extends FenceOpening {
  /** Where the opening line begins. */
  readonly start: number;
  /** Behind the opening line. */
  readonly bodyStart: number;
  /** Where the closing line begins; the end of the text when there is none. */
  readonly bodyEnd: number;
  /** The end of the closing line, without its line break. */
  readonly end: number;
}

/**
 * Reads a line as an opening fence. Any indentation passes, since a block in a list is indented by as much as its item;
 * it is bounded so that a stranger's spaces cost nothing.
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

/** The fenced code blocks of `text` in their order. */
export function findFences(text: string): Fence[] {
  const fences: Fence[] = [];
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

/** The code block that the place `at` lies within, or null. `fences` are in order. */
export function fenceAround(fences: readonly Fence[], at: number): Fence | null {
  const fence = fences[firstBehind(fences, at)];
  return fence && fence.start < at ? fence : null;
}

/** The index of the first that ends behind `at`. */
export function firstBehind(fences: readonly Fence[], at: number): number {
  let low = 0;
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fences[middle]?.end ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
