import { ageText } from "../base/text.ts";

/** Formats how long ago something was: `just now`, `5 min ago`. */
export function sayAgo(now: number, then: number): string {
  return now - then < 5_000 ? "just now" : `${ageText(now - then)} ago`;
}

/** Shortens `text` to at most `length` code points on one line. */
export function clip(text: string, length: number): string {
  const characters = [...text.replaceAll(/\s+/g, " ").trim()];
  if (characters.length <= length) return characters.join("");
  return `${characters
    .slice(0, length - 1)
    .join("")
    .trimEnd()}…`;
}
