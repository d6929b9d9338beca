/** A fence that opens a code block, and one that may close it. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** UTF-16 units of a fence's info string that are repeated where the block goes on. */
const LONGEST_INFO = 40;

interface OpenFence {
  readonly marks: string;
  readonly info: string;
}

/**
 * Cuts Markdown into pieces of at most `limit` UTF-16 units (at least 128): between paragraphs, lines or words where
 * it can, and never inside a character. A code block that is cut is closed and opened again. Joined, without those
 * fences, the pieces are the text.
 */
export function splitMarkdown(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  let fence: OpenFence | null = null;
  for (;;) {
    const head: string = fence ? `${fence.marks}${fence.info}\n` : "";
    if (head.length + rest.length <= limit) {
      if (rest || pieces.length === 0) pieces.push(head + rest);
      return pieces;
    }
    const body = rest.slice(0, cutWithin(rest, head, fence, limit));
    fence = fenceAfter(body, fence);
    pieces.push(head + body + closing(body, fence));
    rest = rest.slice(body.length);
  }
}

/** Where to cut: as late as the closing fence lets it. */
function cutWithin(rest: string, head: string, fence: OpenFence | null, limit: number): number {
  let room = limit - head.length;
  for (;;) {
    const cut = cutBefore(rest, room);
    const body = rest.slice(0, cut);
    const over = head.length + cut + closing(body, fenceAfter(body, fence)).length - limit;
    if (over <= 0 || room - over < 1) return cut;
    room = Math.min(room, cut) - over;
  }
}

/** The best place for a cut in the first `room` units. */
function cutBefore(text: string, room: number): number {
  const window = text.slice(0, room);
  // A boundary in the first half would waste too much of the room.
  for (const boundary of ["\n\n", "\n", " "]) {
    const at = window.lastIndexOf(boundary);
    if (at >= room / 2) return at + boundary.length;
  }
  return characterBoundary(text, room);
}

/** The last place up to `at` that is not inside what a person sees as one character. */
function characterBoundary(text: string, at: number): number {
  const from = Math.max(0, at - 64);
  const segments = new Intl.Segmenter().segment(text.slice(from, at + 64));
  const start = segments.containing(at - from)?.index ?? at - from;
  if (start > 0) return from + start;
  // A "character" of a hundred code points is somebody's joke; half of a surrogate pair would be broken text.
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function fenceAfter(body: string, before: OpenFence | null): OpenFence | null {
  let open = before;
  for (const line of body.split("\n")) {
    const [, marks = "", info = ""] = FENCE.exec(line.replace(/\r$/, "")) ?? [];
    if (!marks) continue;
    if (open) {
      const closes = marks.charAt(0) === open.marks.charAt(0) && marks.length >= open.marks.length && !info.trim();
      if (closes) open = null;
    } else if (!(marks.startsWith("`") && info.includes("`"))) {
      open = { marks: marks.slice(0, LONGEST_INFO), info: info.trim().length <= LONGEST_INFO ? info.trim() : "" };
    }
  }
  return open;
}

function closing(body: string, fence: OpenFence | null): string {
  if (!fence) return "";
  return body.endsWith("\n") ? fence.marks : `\n${fence.marks}`;
}

/** UTF-16 units of a thread's name. */
const LONGEST_NAME = 100;

/** A thread's name on one line, without characters that cannot be seen, and not too long. */
export function cleanName(name: string): string {
  const line = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, (run) => (/^[\u200c\u200d]$/.test(run) ? run : " "))
    .trim();
  if (line.length <= LONGEST_NAME) return line || "New thread";
  return `${line.slice(0, characterBoundary(line, LONGEST_NAME - 1)).trimEnd()}…`;
}
