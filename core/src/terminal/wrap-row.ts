import { stripVTControlCharacters } from "node:util";
import { columnsOf } from "../markdown/text-width.ts";

/** The fewest columns that are wrapped to. */
const NARROWEST = 20;

/**
 * Breaks a row between its words where it is wider than the terminal, and indents what follows like the row itself. A word
 * that is wider, such as an address, stays whole to be copied; so does a text of several rows. `ansi` may have styles.
 */
export function wrapRow(ansi: string, columns: number): string {
  const widthOf = (text: string) => columnsOf(stripVTControlCharacters(text));
  if (ansi.includes("\n") || columns < NARROWEST || widthOf(ansi) <= columns) return ansi;
  const indent = /^ */.exec(stripVTControlCharacters(ansi))?.[0] ?? "";
  const rows: string[] = [];
  let row = "";
  for (const word of ansi.split(/(?<=[^ ])(?= )/)) {
    const isFull = row !== "" && widthOf(row) + widthOf(word) > columns && widthOf(row) > indent.length;
    if (isFull) rows.push(row);
    row = isFull ? indent + word.replace(/^ +/, "") : row + word;
  }
  return [...rows, row].join("\n");
}
