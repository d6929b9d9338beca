import { lstatSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Tool, ToolContext, ToolResult } from "../../agent/agent.ts";
import { count } from "../../base/text.ts";
import { type CheckedPath, checkedPath, inFolderOf } from "../files/checked-path.ts";
import { hasTooManyStars, rulesOf } from "../files/ignore-rules.ts";
import { JudgedFiles } from "../files/judged-files.ts";
import { walk } from "../files/walk.ts";
import { seenLine } from "../seen-line.ts";
import type { Candidate, Query } from "./matches.ts";
import { searchByRipgrep } from "./search-by-ripgrep.ts";
import { expressionOf } from "./search-in-javascript.ts";

/** In bytes. Larger files are data rather than text that somebody wrote. */
const LARGEST = 10 * 1024 * 1024;
const LONGEST_LINE = 300;

const input = z.object({
  pattern: z.string().min(1).max(1000).describe("A regular expression of JavaScript, matched against each line"),
  path: z.string().min(1).default(".").describe("The file or folder to search, relative to the session's directory"),
  glob: z.string().min(1).optional().describe("Only files that this names, as a .gitignore would: *.ts, src/**"),
  ignoreCase: z.boolean().default(false),
  limit: z.int().min(1).max(1000).default(200).describe("How many lines to return"),
});
type Input = z.output<typeof input>;

/** Searches the lines of files below the session's directory. */
export class SearchTool implements Tool<Input> {
  readonly name = "search";
  readonly description =
    "Searches text files for a regular expression. Returns path, line number and line. Leaves out what .gitignore names.";
  readonly input = input;
  readonly effect = "reads";
  readonly #ripgrep: string;
  readonly #isSkipped: (path: string) => boolean;
  readonly #judged = new JudgedFiles<Input>();

  /** `ripgrep` is the program; `isSkipped` says of a real path that it is not searched unless a call names it. */
  constructor(ripgrep: string, isSkipped: (path: string) => boolean) {
    this.#ripgrep = ripgrep;
    this.#isSkipped = isSkipped;
  }

  summary({ pattern, path }: Input): string {
    return seenLine(`${pattern} in ${path}`);
  }

  subjects(input: Input, where: ToolContext): readonly string[] {
    return [this.#judged.note(input, checkedPath(input.path, where))];
  }

  async run(input: Input, where: ToolContext): Promise<ToolResult> {
    const { pattern, path, glob, ignoreCase, limit } = input;
    const place = checkedPath(path, where);
    this.#judged.check(input, place);
    const { signal } = where;
    // One more than is shown tells that there are more.
    const query: Query = { pattern, ignoreCase, limit: limit + 1, signal };
    expressionOf(query);
    if (glob?.split("\n").some(hasTooManyStars)) throw new Error("The glob has more than three **");
    const { files: all, linked } = await this.#candidates(place, glob, signal);
    const files = all.filter(({ size }) => size <= LARGEST);
    const found = await searchByRipgrep(this.#ripgrep, { root: place.root, files, query });
    const lines = found.slice(0, limit).map(({ way, line, text }) => `${way}:${line}: ${shortLine(text)}`);
    if (found.length > limit) lines.push(`[more than ${limit} lines match]`);
    if (found.length === 0) lines.push(`Nothing in ${count(files.length, "file")} matches.`);
    if (linked > 0) lines.push(`[${count(linked, "file")} with several names (hard links) not searched: name one]`);
    const large = all.length - files.length;
    if (large > 0) lines.push(`[${count(large, "file")} of more than 10 MB not searched]`);
    return { text: lines.join("\n") };
  }

  /** The files to search; and how many are left out because they may be, by another name, one that is not searched. */
  async #candidates(
    place: CheckedPath,
    glob: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly files: Candidate[]; readonly linked: number }> {
    const wanted = glob === undefined ? null : rulesOf(glob);
    if (place.way.length > 0) {
      const stats = inFolderOf(place, (folder, name) => lstatSync(folder.child(name)));
      if (stats.isFile()) return { files: [{ way: place.way.join("/"), size: stats.size }], linked: 0 };
    }
    const isSkipped = (way: string) => this.#isSkipped(join(place.root, way));
    const files: Candidate[] = [];
    let linked = 0;
    for await (const entry of walk(place, { depth: 100, signal, isSkipped })) {
      if (entry.kind !== "file" || entry.isIgnored || wanted?.ignores(entry.way) === false) continue;
      const stats = lstatSync(entry.folder.child(entry.name), { throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (stats.nlink > 1 && !entry.way.split("/").includes("node_modules")) linked++;
      else files.push({ way: entry.way, size: stats.size });
    }
    return { files, linked };
  }
}

function shortLine(text: string): string {
  return text.length <= LONGEST_LINE
    ? text
    : `${text.slice(0, LONGEST_LINE)}… [${text.length - LONGEST_LINE} characters cut]`;
}
