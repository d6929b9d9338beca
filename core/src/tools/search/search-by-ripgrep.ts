import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Candidate, isSharedSyntax, type Match, type Query } from "./matches.ts";
import { searchInJavaScript } from "./search-in-javascript.ts";

/** How many UTF-16 units of paths one command line has. */
const LONGEST_LINE = 60_000;

/**
 * Searches files by ripgrep, with what {@link searchInJavaScript} finds; by that function where there is no ripgrep, where
 * it fails, or the pattern means something else to it. Ripgrep opens the paths by itself: who swaps a folder on the way for
 * a link between the walk and that is not noticed.
 */
export async function searchByRipgrep(
  program: string,
  { root, files, query }: { readonly root: string; readonly files: readonly Candidate[]; readonly query: Query },
): Promise<Match[]> {
  const found: Match[] = [];
  let isUsable = isSharedSyntax(query.pattern);
  for (const batch of batchesOf(files)) {
    const rest = { ...query, limit: query.limit - found.length };
    if (rest.limit <= 0) break;
    const matches = isUsable ? await runRipgrep(program, root, batch, rest) : null;
    isUsable &&= matches !== null;
    found.push(...(matches ?? (await searchInJavaScript(root, batch, rest))).slice(0, rest.limit));
  }
  return found;
}

function batchesOf(files: readonly Candidate[]): Candidate[][] {
  const batches: Candidate[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const file of files) {
    length += file.way.length + 3;
    if (length > LONGEST_LINE) {
      batches.push([]);
      length = 0;
    }
    batches.at(-1)?.push(file);
  }
  return batches;
}

/** What it prints as JSON: https://docs.rs/grep-printer */
interface Printed {
  readonly type: "begin" | "match" | "end" | "summary";
  readonly data: {
    readonly path?: Content;
    readonly lines?: Content;
    readonly line_number?: number;
    readonly binary_offset?: number | null;
  };
}
type Content = { readonly text: string } | { readonly bytes: string };

/** Null where it cannot be run, or fails. */
function runRipgrep(program: string, root: string, files: readonly Candidate[], query: Query): Promise<Match[] | null> {
  const { pattern, ignoreCase, limit, signal } = query;
  const given = ["--json", "--no-config", "--encoding", "none", "--crlf", "--max-count", `${limit}`];
  const words = [...given, ...(ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]), "--regexp", pattern, "--"];
  const paths = files.map(({ way }) => `./${way}`);
  const found = new Map<string, Match[]>();
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words, ...paths], {
      ...{ cwd: root, env: { PATH: process.env.PATH }, stdio: ["ignore", "pipe", "ignore"], signal },
    });
    createInterface(child.stdout).on("line", (line) => note(JSON.parse(line) as Printed, found));
    child.on("error", () => (signal.aborted ? reject(signal.reason) : resolve(null)));
    child.on("close", (code) => {
      // 1: nothing was found. 2: something failed.
      if (code === 0 || code === 1) resolve(files.flatMap(({ way }) => found.get(way) ?? []));
      else resolve(null);
    });
  });
}

function note({ type, data }: Printed, found: Map<string, Match[]>): void {
  if (data.path === undefined) return;
  const way = contentOf(data.path).slice(2);
  if (type === "match" && data.lines !== undefined) {
    const matches = found.get(way) ?? [];
    matches.push({ way, line: data.line_number ?? 0, text: contentOf(data.lines).replace(/\r?\n$/, "") });
    found.set(way, matches);
  }
  if (type === "end" && data.binary_offset != null) found.delete(way);
}

function contentOf(content: Content): string {
  if ("text" in content) return content.text;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(content.bytes, "base64"));
}
