const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** A line that may belong to what stands above the blank line before it: a list goes on, or is indented under. */
const CONTINUES = /^(?:\s|[*+-]\s|\d{1,9}[.)]\s)/;

/** `[label]: address`, which a link anywhere in the text may refer to. */
const DEFINITION = /^ {0,3}\[(?!\^)[^\]]+\]:\s+\S+.*$/gm;

/** A note that may be referred to from anywhere. */
const FOOTNOTE = /^ {0,3}\[\^[^\]]+\]:/m;

/**
 * Cuts a text where a new block certainly begins. A growing answer is then parsed in its last part only, and one bad
 * part leaves the others as they are.
 */
export function splitBlocks(text: string): string[] {
  if (FOOTNOTE.test(text)) return [text];
  const blocks: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  let isAfterBlank = false;
  for (const line of text.split("\n")) {
    const marks = FENCE.exec(line)?.[1];
    const isBlank = line.trim() === "";
    if (fence === null && isAfterBlank && !isBlank && !CONTINUES.test(line)) {
      blocks.push(lines.join("\n"));
      lines = [];
    }
    if (marks !== undefined) {
      if (fence === null) fence = marks;
      else if (marks.startsWith(fence)) fence = null;
    }
    isAfterBlank = isBlank;
    lines.push(line);
  }
  blocks.push(lines.join("\n"));
  return blocks;
}

/** What links refer to, to be put under each block. */
export function definitionsIn(text: string): string {
  return (text.match(DEFINITION) ?? []).slice(0, 100).join("\n");
}
