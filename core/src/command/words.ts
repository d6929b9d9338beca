import { ageText } from "../base/text.ts";

/** When something was, seen from now: `just now`, `5 min ago`. */
export function sayAgo(now: number, then: number): string {
  return now - then < 5_000 ? "just now" : `${ageText(now - then)} ago`;
}

/** At most `length` characters, on one line. */
export function clip(text: string, length: number): string {
  const characters = [...text.replaceAll(/\s+/g, " ").trim()];
  if (characters.length <= length) return characters.join("");
  return `${characters
    .slice(0, length - 1)
    .join("")
    .trimEnd()}…`;
}
