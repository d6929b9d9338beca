import { findPlainCut } from "@hermes/core/markdown";
import type { Entity, FormattedText } from "./formatted-text.ts";

/** The longest text of a message, after formatting ("sendMessage"). */
export const TEXT_LIMIT = { length: 4096, unit: "utf16" } as const;

/** Telegram passes over what is more than this in one message. */
const MOST_ENTITIES = 100;

/** Cuts formatted text into messages, at the best places; the texts join to the original. */
export function splitFormatted({ text, entities }: FormattedText): FormattedText[] {
  const parts: FormattedText[] = [];
  let next = 0;
  /** Entities that began in an earlier part and go on. */
  let open: readonly Entity[] = [];
  for (let start = 0; start < text.length; ) {
    const near = [...open, ...entities.slice(next, next + MOST_ENTITIES + 1)];
    const furthest = furthestFrom(start, text, near);
    const end = furthest === text.length ? furthest : findPlainCut(text, start, furthest);
    const begun = near.filter(({ offset }) => offset < end);
    parts.push({ text: text.slice(start, end), entities: begun.flatMap((entity) => within(entity, start, end)) });
    next += begun.length - open.length;
    open = begun.filter(({ offset, length }) => offset + length > end);
    start = end;
  }
  // The platform refuses a message of nothing but spaces.
  return parts.filter((part) => part.text.trim() !== "");
}

/** Up to the entity that would be too many; `near` are those that end behind `start`, in order. */
function furthestFrom(start: number, text: string, near: readonly Entity[]): number {
  const byLength = Math.min(start + TEXT_LIMIT.length, text.length);
  const tooMany = near[MOST_ENTITIES];
  return tooMany && tooMany.offset > start ? Math.min(byLength, tooMany.offset) : byLength;
}

/** The part of an entity that lies in a piece of the text. */
function within(entity: Entity, start: number, end: number): Entity[] {
  const from = Math.max(entity.offset, start);
  const to = Math.min(entity.offset + entity.length, end);
  return from < to ? [{ ...entity, offset: from - start, length: to - from }] : [];
}
