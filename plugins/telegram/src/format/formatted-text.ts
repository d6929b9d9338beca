import type { MessageEntity } from "grammy/types";

/** Text and, beside it, what is bold, code or a link in it, in UTF-16 units ("MessageEntity"). */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** The kinds of formatting that Hermes uses. */
export type Entity =
  | MessageEntity.CommonMessageEntity
  | MessageEntity.PreMessageEntity
  | MessageEntity.TextLinkMessageEntity;

/** What an entity is, without its place. */
export type EntityKind =
  | { readonly type: "bold" | "italic" | "strikethrough" | "code" | "blockquote" }
  | { readonly type: "pre"; readonly language?: string }
  | { readonly type: "text_link"; readonly url: string };

/** Writes formatted text from its beginning to its end. */
export class TextWriter {
  /** What was written, put together at the end: each look at a text that grows would cost its whole length. */
  readonly #written: string[] = [];
  #length = 0;
  #indent = "";
  #isLineStart = false;
  readonly #entities: Entity[] = [];
  /** The kinds that what is written next is within. */
  readonly #open: EntityKind["type"][] = [];

  add(text: string): void {
    for (const [at, line] of text.split("\n").entries()) {
      if (at > 0) {
        this.#write("\n");
        this.#isLineStart = true;
      }
      if (line === "") continue;
      this.#beginLine();
      this.#write(line);
    }
  }

  /** What `write` adds is formatted as `kind`, where the platform permits that there. */
  within(kind: EntityKind, write: () => void): void {
    if (!this.#isPermitted(kind.type)) {
      write();
      return;
    }
    this.#beginLine();
    const start = this.#length;
    const from = this.#written.length;
    this.#open.push(kind.type);
    write();
    this.#open.pop();
    this.#mark(kind, start, this.#written.slice(from).join(""));
  }

  /** Every line that `write` begins is indented by `columns` more. */
  indented(columns: number, write: () => void): void {
    this.#withIndent(this.#indent + " ".repeat(columns), write);
  }

  /** Lines begin at the margin, as those of code do. */
  atMargin(write: () => void): void {
    this.#withIndent("", write);
  }

  finish(): FormattedText {
    const text = this.#written.join("").trimEnd();
    const code = this.#entities.filter(({ type }) => type === "code" || type === "pre");
    // What holds others is marked behind them, and comes first.
    const entities = this.#entities
      .toReversed()
      .flatMap((entity) => (isStyle(entity) ? without(entity, code) : [entity]))
      .map((entity) => ({ ...entity, length: Math.min(entity.length, text.length - entity.offset) }))
      .filter(({ length }) => length > 0)
      .sort((a, b) => a.offset - b.offset || b.length - a.length);
    return { text, entities };
  }

  #beginLine(): void {
    if (this.#isLineStart && this.#indent !== "") this.#write(this.#indent);
  }

  #write(text: string): void {
    this.#written.push(text);
    this.#length += text.length;
    this.#isLineStart = false;
  }

  /** Nothing holds its own kind, and neither links nor code can hold the other ("Formatting options"). */
  #isPermitted(type: EntityKind["type"]): boolean {
    return !this.#open.includes(type) && !(type === "code" && this.#open.includes("text_link"));
  }

  #mark(kind: EntityKind, start: number, written: string): void {
    // Code keeps its spaces; elsewhere the platform would move the ends itself.
    const isCode = kind.type === "pre" || kind.type === "code";
    const skipped = isCode ? 0 : written.length - written.trimStart().length;
    const length = (isCode ? written : written.trim()).length;
    if (length > 0) this.#entities.push({ ...kind, offset: start + skipped, length });
  }

  #withIndent(indent: string, write: () => void): void {
    const before = this.#indent;
    this.#indent = indent;
    write();
    this.#indent = before;
  }
}

function isStyle({ type }: Entity): boolean {
  return type === "bold" || type === "italic" || type === "strikethrough";
}

/** The parts of `entity` that lie outside `code`, which is in order: a style cannot hold code. */
function without(entity: Entity, code: readonly Entity[]): Entity[] {
  const end = entity.offset + entity.length;
  const parts: Entity[] = [];
  let offset = entity.offset;
  for (let at = firstBehind(code, offset); at < code.length; at++) {
    const hole = code[at];
    if (hole === undefined || hole.offset >= end) break;
    if (hole.offset > offset) parts.push({ ...entity, offset, length: hole.offset - offset });
    offset = hole.offset + hole.length;
  }
  if (offset < end) parts.push({ ...entity, offset, length: end - offset });
  return parts;
}

/** The index of the first that ends behind `offset`. */
function firstBehind(entities: readonly Entity[], offset: number): number {
  let low = 0;
  let high = entities.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entity = entities[middle];
    if (entity && entity.offset + entity.length > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
