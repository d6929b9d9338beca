import { stripVTControlCharacters } from "node:util";
import { charactersOf, columnsOf, columnsOfCharacter } from "../markdown/text-width.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: a row of the screen has its styles and links in it.
const ESCAPES = /(\x1b\[[\d;?]*[A-Za-z]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\))/;

/** Cuts a row of the screen to `width` columns: an ellipsis shows where. Its escape sequences stay. */
export function cutRow(row: string, width: number): string {
  if (columnsOf(stripVTControlCharacters(row)) <= width) return row;
  let left = Math.max(0, width - 1);
  let isCut = false;
  const cut = (text: string): string => {
    if (isCut) return "";
    let shown = "";
    for (const character of charactersOf(text)) {
      left -= columnsOfCharacter(character);
      if (left < 0) {
        isCut = true;
        return `${shown}…`;
      }
      shown += character;
    }
    return shown;
  };
  return row
    .split(ESCAPES)
    .map((part, at) => (at % 2 === 1 ? part : cut(part)))
    .join("");
}
