import { charactersOf } from "../../markdown/text-width.ts";

interface State {
  readonly text: string;
  readonly cursor: number;
}

/** The kinds of edit: consecutive edits of one kind are undone together. */
type EditKind = "type" | "paste" | "erase" | "other";

const UNDO_LIMIT = 500;

/**
 * A text being edited, with a cursor between visible characters, and its undo history. Offsets
 * are in UTF-16 units.
 */
export class EditBuffer {
  #text = "";
  #cursor = 0;
  #undone: State[] = [];
  #done: State[] = [];
  #lastKind: EditKind | null = null;
  /** The text that was cut last. */
  #cut = "";

  get text(): string {
    return this.#text;
  }

  get cursor(): number {
    return this.#cursor;
  }

  insert(text: string, kind: "type" | "paste" = "type"): void {
    // Undo goes word by word.
    const isNewWord = kind === "type" && /^\S/.test(text) && /\s$/.test(this.#text.slice(0, this.#cursor));
    this.#remember(kind, isNewWord);
    this.#put(this.#text.slice(0, this.#cursor) + text + this.#text.slice(this.#cursor), this.#cursor + text.length);
  }

  /** Replaces the whole text, as one undo step. */
  replace(text: string): void {
    this.#remember("other");
    this.#put(text, text.length);
  }

  /** Starts over, with nothing to undo. */
  reset(text = ""): void {
    this.#put(text, text.length);
    this.#done = [];
    this.#undone = [];
    this.#lastKind = null;
  }

  moveTo(offset: number): void {
    this.#lastKind = null;
    this.#cursor = Math.max(0, Math.min(offset, this.#text.length));
  }

  left(): void {
    this.moveTo(this.#before());
  }

  right(): void {
    this.moveTo(this.#after());
  }

  wordLeft(): void {
    this.moveTo(this.#wordStart());
  }

  wordRight(): void {
    this.moveTo(this.#wordEnd());
  }

  lineStart(): void {
    this.moveTo(this.#lineStart());
  }

  lineEnd(): void {
    this.moveTo(this.#lineEnd());
  }

  backspace(): void {
    this.#erase(this.#before(), this.#cursor);
  }

  delete(): void {
    this.#erase(this.#cursor, this.#after());
  }

  cutWordLeft(): void {
    this.#cutOut(this.#wordStart(), this.#cursor);
  }

  cutWordRight(): void {
    this.#cutOut(this.#cursor, this.#wordEnd());
  }

  /** To the start of the line; at it, its line break. */
  cutToLineStart(): void {
    const start = this.#lineStart();
    this.#cutOut(start === this.#cursor ? Math.max(0, start - 1) : start, this.#cursor);
  }

  /** To the end of the line; at it, its line break. */
  cutToLineEnd(): void {
    const end = this.#lineEnd();
    this.#cutOut(this.#cursor, end === this.#cursor ? Math.min(this.#text.length, end + 1) : end);
  }

  /** Inserts the text that was cut last. */
  putBack(): void {
    if (this.#cut !== "") this.insert(this.#cut, "paste");
  }

  undo(): void {
    this.#travel(this.#done, this.#undone);
  }

  redo(): void {
    this.#travel(this.#undone, this.#done);
  }

  #travel(from: State[], to: State[]): void {
    const state = from.pop();
    if (state === undefined) return;
    to.push({ text: this.#text, cursor: this.#cursor });
    this.#text = state.text;
    this.#cursor = state.cursor;
    this.#lastKind = null;
  }

  #cutOut(from: number, to: number): void {
    if (from >= to) return;
    this.#cut = this.#text.slice(from, to);
    this.#remember("other");
    this.#put(this.#text.slice(0, from) + this.#text.slice(to), from);
  }

  #erase(from: number, to: number): void {
    if (from >= to) return;
    this.#remember("erase");
    this.#put(this.#text.slice(0, from) + this.#text.slice(to), from);
  }

  #remember(kind: EditKind, isNew = false): void {
    if (isNew || kind === "other" || kind !== this.#lastKind) {
      this.#done.push({ text: this.#text, cursor: this.#cursor });
      if (this.#done.length > UNDO_LIMIT) this.#done.shift();
    }
    this.#lastKind = kind;
    this.#undone = [];
  }

  #put(text: string, cursor: number): void {
    this.#text = text;
    this.#cursor = cursor;
    // What was put in or taken away may have joined its neighbours to one character.
    const start = this.#lineStart();
    if (cursor > start) this.#cursor = start + boundaryFrom(text.slice(start, this.#lineEnd()), cursor - start);
  }

  #before(): number {
    const start = this.#lineStart();
    if (start === this.#cursor) return Math.max(0, start - 1);
    return this.#cursor - (charactersOf(this.#text.slice(start, this.#cursor)).at(-1)?.length ?? 0);
  }

  #after(): number {
    const end = this.#lineEnd();
    if (end === this.#cursor) return Math.min(this.#text.length, end + 1);
    return this.#cursor + (charactersOf(this.#text.slice(this.#cursor, end))[0]?.length ?? 0);
  }

  #lineStart(): number {
    return this.#cursor === 0 ? 0 : this.#text.lastIndexOf("\n", this.#cursor - 1) + 1;
  }

  #lineEnd(): number {
    const end = this.#text.indexOf("\n", this.#cursor);
    return end < 0 ? this.#text.length : end;
  }

  #wordStart(): number {
    const [tail = ""] = /[\p{L}\p{N}\p{M}_]*[^\p{L}\p{N}\p{M}_]*$/u.exec(this.#text.slice(0, this.#cursor)) ?? [];
    return this.#cursor - tail.length;
  }

  #wordEnd(): number {
    const [head = ""] = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]*/u.exec(this.#text.slice(this.#cursor)) ?? [];
    return this.#cursor + head.length;
  }
}

/** The first boundary between characters at or behind an offset. */
function boundaryFrom(line: string, offset: number): number {
  if (/^[\x20-\x7e]*$/.test(line)) return offset;
  let at = 0;
  for (const character of charactersOf(line)) {
    if (at >= offset) return at;
    at += character.length;
  }
  return at;
}
