import { withoutHidden } from "./hidden-text.ts";

/**
 * Puts a name, a title or other text from outside on one line, without control or hidden characters. For anything that
 * reaches a list, a prompt, or the model as a name.
 */
export function oneLine(text: string): string {
  return withoutHidden(text.toWellFormed())
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/** Words of plain characters, one space between two. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** The longest name that is shown, in characters. */
const LONGEST_NAME = 80;

/**
 * Shortens the name of a person, a chat or a file for a message to people or the model. People choose names themselves,
 * and one short line cannot pass for somebody else's words. Empty when nothing in it is visible.
 */
export function shortName(name: string): string {
  // Names are shortened for every message, and most need nothing.
  if (name.length <= LONGEST_NAME && PLAIN.test(name)) return name;
  const characters = [...oneLine(name)];
  return characters.slice(0, LONGEST_NAME).join("").trimEnd();
}
