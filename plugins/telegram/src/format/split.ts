import { findPlainCut } from "@hermes/core/markdown";
import type { Entity, FormattedText } from "./formatted-text.ts";

/** The longest text of a message, after formatting ("sendMessage"). */
export const TEXT_LIMIT = { length: 4096, unit: "utf16" } as const;

/** Telegram passes over what is more than this in one message. */
const MOST_ENTITIES = 100;

/** Cuts formatted text into messages, at the best places; the texts join to the original. */
export function splitFormatted({ text, entities }: FormattedText): FormattedText[] {
  const parts: FormattedText[] = [];
  for (let start = 0; start < text.length; ) {
    const furthest = furthestFrom(start, text, entities);
    const end = furthest === text.length ? furthest : findPlainCut(text, start, furthest);
    parts.push({ text: text.slice(start, end), entities: entities.flatMap((entity) => within(entity, start, end)) });
    start = end;
  }
  // The platform refuses a message of nothing but spaces.
  return parts.filter((part) => part.text.trim() !== "");
}

function furthestFrom(start: number, text: string, entities: readonly Entity[]): number {
  const byLength = Math.min(start + TEXT_LIMIT.length, text.length);
  const tooMany = entities.filter(({ offset, length }) => offset + length > start)[MOST_ENTITIES];
  return tooMany && tooMany.offset > start ? Math.min(byLength, tooMany.offset) : byLength;
}

/** The part of an entity that lies in a piece of the text. */
function within(entity: Entity, start: number, end: number): Entity[] {
  const from = Math.max(entity.offset, start);
  const to = Math.min(entity.offset + entity.length, end);
  return from < to ? [{ ...entity, offset: from - start, length: to - from }] : [];
}
