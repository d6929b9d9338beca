import { oneLine } from "../base/one-line.ts";

/** The longest name of a file, in bytes of UTF-8: file systems take 255. */
const LONGEST_NAME = 120;

/** The longest ending that survives when a name is shortened, in characters. */
const LONGEST_ENDING = 12;

/**
 * Makes a name that can be shown on one line and used as the name of a file on any system: the last part of a path,
 * without control and hidden characters, not hidden by a leading dot, at most 120 bytes with its ending kept.
 */
export function safeFileName(name: string): string {
  const last = oneLine(name.slice(0, 20_000)).split(/[/\\]/).at(-1) ?? "";
  const clean = last
    .replaceAll(/[<>:"|?*]/g, "_")
    .replace(/^[.\s]+/, "")
    .replace(/[.\s]+$/, "");
  if (clean === "") return "file";
  // Windows has devices of these names, with any ending.
  const plain = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(clean) ? `_${clean}` : clean;
  return shortened(plain);
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_NAME) return name;
  const [ending = ""] = new RegExp(`\\.[\\p{L}\\p{N}]{1,${LONGEST_ENDING}}$`, "u").exec(name) ?? [];
  const room = LONGEST_NAME - Buffer.byteLength(ending) - Buffer.byteLength("…");
  let kept = "";
  for (const character of name.slice(0, name.length - ending.length)) {
    if (Buffer.byteLength(kept + character) > room) break;
    kept += character;
  }
  return `${kept.trimEnd()}…${ending}`;
}
