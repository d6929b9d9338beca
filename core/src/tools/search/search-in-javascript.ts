import { closeSync, fstatSync, readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createContext, Script } from "node:vm";
import { checkedPathBelow, inFolderOf } from "../files/checked-path.ts";
import type { Candidate, Match, Query } from "./matches.ts";

/** How long the pattern may take in one file, in milliseconds: some patterns take for ever on the wrong line. */
const LONGEST_MS = 1000;

const SEARCH = new Script(`(() => {
  const found = [];
  const lines = text.split("\\n");
  if (lines.at(-1) === "") lines.pop();
  for (let at = 0; at < lines.length && found.length < limit; at++) {
    const line = lines[at].endsWith("\\r") ? lines[at].slice(0, -1) : lines[at];
    if (expression.test(line)) found.push([at + 1, line]);
  }
  return JSON.stringify(found);
})()`);

/** Searches files line by line. A file with a NUL byte is binary and left out. */
export async function searchInJavaScript(root: string, files: readonly Candidate[], query: Query): Promise<Match[]> {
  const expression = expressionOf(query);
  const found: Match[] = [];
  const context = createContext({ expression, text: "", limit: 0 });
  for (const { way } of files) {
    if (found.length >= query.limit) break;
    await setImmediate();
    query.signal.throwIfAborted();
    const text = textOf(root, way);
    if (text === null) continue;
    context.text = text;
    context.limit = query.limit - found.length;
    const lines = JSON.parse(String(runWithin(way, context))) as [number, string][];
    found.push(...lines.map(([line, matched]) => ({ way, line, text: matched })));
  }
  return found;
}

/** Makes the pattern's expression. Throws where it is none. */
export function expressionOf({ pattern, ignoreCase }: Pick<Query, "pattern" | "ignoreCase">): RegExp {
  const flags = ignoreCase ? "is" : "s";
  try {
    return new RegExp(pattern, `${flags}u`);
  } catch {
    // Needless escapes such as `\"` are errors with the flag `u`.
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      throw new Error(`The pattern is no regular expression of JavaScript: ${(error as Error).message}`);
    }
  }
}

function runWithin(way: string, context: object): unknown {
  try {
    return SEARCH.runInContext(context, { timeout: LONGEST_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new Error(`The pattern takes too long in ${way}. Write it with fewer repetitions within repetitions.`);
  }
}

/** The text of a file that is to be searched; null where it is binary, or gone meanwhile. */
function textOf(root: string, way: string): string | null {
  const place = checkedPathBelow(root, `${root}/${way}`, way);
  if (place === null) return null;
  let handle: number;
  try {
    handle = inFolderOf(place, (folder, name) => folder.open(name));
  } catch {
    return null;
  }
  try {
    if (!fstatSync(handle).isFile()) return null;
    const bytes = readFileSync(handle);
    return bytes.includes(0) ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  } finally {
    closeSync(handle);
  }
}
