import { closeSync, fstatSync } from "node:fs";
import { isAbsolute } from "node:path";
import { z } from "zod";
import type { Tool, ToolContext, ToolResult } from "../agent/agent.ts";
import { count, sizeText } from "../base/text.ts";
import { type CheckedPath, checkedPath, checkedPathBelow, inFolderOf } from "./files/checked-path.ts";
import { JudgedFiles } from "./files/judged-files.ts";
import { KEPT_ENDING } from "./files/kept-file.ts";
import type { KnownFiles } from "./files/known-files.ts";
import { readLines } from "./files/read-lines.ts";
import { outputsOf } from "./outputs.ts";
import { seenLine } from "./seen-line.ts";

const input = z.object({
  path: z.string().min(1).describe("Relative to the session's directory, or absolute"),
  first: z.int().min(1).default(1).describe("The first line to read, from 1"),
  lines: z.int().min(1).max(5000).default(2000).describe("How many lines to read"),
});
type Input = z.output<typeof input>;

/** Reads lines of a text file below the session's directory, or of a kept output of the session. */
export class ReadTool implements Tool<Input> {
  readonly name = "read";
  readonly description =
    "Reads a text file with line numbers (number, tab, line). Long files are read in parts by `first` and `lines`.";
  readonly input = input;
  readonly effect = "reads";
  readonly #home: string;
  readonly #known: KnownFiles;
  readonly #judged = new JudgedFiles<Input>();

  constructor(home: string, known: KnownFiles) {
    this.#home = home;
    this.#known = known;
  }

  summary({ path }: Input): string {
    return seenLine(path);
  }

  /** What the session's own calls kept is no file that a rule for paths is about: the session was shown it already. */
  subjects(input: Input, where: ToolContext): readonly string[] {
    const kept = this.#keptAt(input.path, where);
    const real = this.#judged.note(input, kept ?? checkedPath(input.path, where));
    return kept === null ? [real] : [];
  }

  async run(input: Input, where: ToolContext): Promise<ToolResult> {
    const { path, first, lines: limit } = input;
    const place = this.#keptAt(path, where) ?? checkedPath(path, where);
    this.#judged.check(input, place);
    const handle = inFolderOf(place, (folder, name) => folder.open(name));
    try {
      this.#judged.checkOpened(input, place, handle);
      const stats = fstatSync(handle);
      if (stats.isDirectory()) throw new Error(`${path} is a folder: use the tool \`list\`.`);
      if (!stats.isFile()) throw new Error(`${path} is no ordinary file.`);
      const read = await readLines(handle, { first, limit, signal: where.signal });
      if (read.isBinary) return { text: `${path} is a binary file of ${sizeText(stats.size)}. It is not shown.` };
      if (read.digest !== null) this.#known.note(where.session.id, place.real, read.digest);
      return { text: textOf(read.lines, read.total, { path, first }) };
    } finally {
      closeSync(handle);
    }
  }

  /** Kept outputs lie outside of the directory; a session opens its own. */
  #keptAt(path: string, { session }: ToolContext): CheckedPath | null {
    const kept = isAbsolute(path) ? checkedPathBelow(outputsOf(this.#home, session.id), path, path) : null;
    // What was in a file before a change is for /undo: the file itself may be one that is not to be read.
    return kept?.real.endsWith(KEPT_ENDING) ? null : kept;
  }
}

function textOf(
  lines: readonly string[],
  total: number | null,
  { path, first }: { readonly path: string; readonly first: number },
): string {
  if (total === 0) return `${path} is empty.`;
  if (lines.length === 0) return `${path} has ${count(total ?? 0, "line")}; there is no line ${first}.`;
  const last = first + lines.length - 1;
  const numbered = lines.map((line, at) => `${first + at}\t${line}`).join("\n");
  if (first === 1 && last === total) return numbered;
  return `${numbered}\n\n[lines ${first} to ${last} of ${total ?? "more"}]`;
}
