import { withoutHidden } from "./hidden-text.ts";

/**
 * A name, a title or other text from outside on one line, without what could steer a terminal or hide from a reader:
 * for whatever reaches a list, a prompt, or the model as a name.
 */
export function oneLine(text: string): string {
  return withoutHidden(text.toWellFormed())
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
}

/** The longest name that is shown, in characters. */
const LONGEST_NAME = 80;

/**
 * The name of a person, a chat or a file, as it may stand in a message for people or the model: people choose names
 * themselves, and what is one short line says nothing that looks like another's words. Empty when nothing can be seen.
 */
export function shortName(name: string): string {
  const characters = [...oneLine(name)];
  return characters.slice(0, LONGEST_NAME).join("").trimEnd();
}
