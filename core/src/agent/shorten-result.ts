import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { cutBefore } from "../base/cut-middle.ts";
import { replaceFile } from "../base/replace-file.ts";
import { count } from "../base/text.ts";

/** The longest result that a model gets, in UTF-16 units. */
const LONGEST_RESULT = 30_000;
/** Room for the line that names what was cut. */
const NOTE = 1000;

/**
 * Shortens a tool's result for the model to 30,000 UTF-16 units: its head, a line that names what was cut, and its tail.
 * What is cut is kept whole in `file` (mode 0600), which is null where there is no place. A short result is returned as
 * it is.
 */
export function shortenResult(text: string, file: string | null): string {
  if (text.length <= LONGEST_RESULT) return text;
  if (file !== null) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, text);
  }
  const half = (LONGEST_RESULT - NOTE) / 2;
  const head = text.slice(0, cutBefore(text, half));
  const tail = text.slice(cutBefore(text, text.length - half));
  const cut = text.slice(head.length, text.length - tail.length);
  const first = count(head.split("\n").length, "line");
  const where = file === null ? "It was not kept." : `The whole is in ${file}, which the tool \`read\` opens.`;
  const size = `${cut.length.toLocaleString("en")} characters (${count(cut.split("\n").length, "line")})`;
  return `${head}\n\n[${size} were cut here, behind the first ${first}. ${where}]\n\n${tail}`;
}
