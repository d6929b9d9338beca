import type { Choice, ChoiceLimits, OutboundMessage, Piece } from "@hermes/core";
import { splitText } from "@hermes/core/markdown";
import { render } from "../format.ts";

/** So many buttons, and so many characters of a title ("Interactive reply buttons messages"). */
export const CHOICE_LIMITS: ChoiceLimits = { most: 3, labelLength: 20 };

/** Characters of the text above buttons. */
const LONGEST_BODY = { length: 1_024, unit: "utf16" } as const;

/**
 * The messages that say what `message` says, with its choices on the last one of its text: that one is short, since there
 * is less room above buttons. Choices with the same label, which Meta refuses, are left out.
 */
export function renderWithChoices(
  { choices = [], ...message }: OutboundMessage,
  root?: Parameters<typeof render>[1],
): Piece[] {
  const pieces = render(message, root);
  const labels = new Set(choices.map(({ label }) => label));
  const last = pieces.findLast(({ file }) => file === undefined);
  if (last === undefined || choices.length === 0 || labels.size < choices.length) return pieces;
  const parts = splitText(last.text, LONGEST_BODY).filter((part) => part.trim() !== "");
  const asked = parts.map((text, index): Piece => (index < parts.length - 1 ? { text } : { text, extra: { choices } }));
  return pieces.flatMap((piece) => (piece === last ? asked : [piece]));
}

/** The content of a message with buttons; null for a piece that has none. */
export function buttonsOf({ text, extra }: Piece): object | null {
  const choices = (extra?.choices ?? []) as readonly Choice[];
  if (choices.length === 0) return null;
  const buttons = choices.map(({ id, label }) => ({ type: "reply", reply: { id, title: label } }));
  return { type: "interactive", interactive: { type: "button", body: { text }, action: { buttons } } };
}
