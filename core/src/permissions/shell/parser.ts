import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Parser, Tree } from "web-tree-sitter";

/** How often a parser may report its progress before it is given up on; a line of any sense takes a few of these. */
const MOST_STEPS = 2_000;

let loading: Promise<Parser> | null = null;

/**
 * Parses a line of bash, and hands its tree to `read`; null where the parser gave up. The parser is loaded when the
 * first line is parsed. The tree's memory is given back afterwards.
 */
export async function withTree<T>(line: string, read: (tree: Tree) => T): Promise<T | null> {
  loading ??= load();
  const parser = await loading.catch((error: unknown) => {
    loading = null;
    throw error;
  });
  let steps = 0;
  parser.reset();
  const tree = parser.parse(line, null, { progressCallback: () => ++steps > MOST_STEPS });
  if (tree === null) return null;
  try {
    return read(tree);
  } finally {
    tree.delete();
  }
}

async function load(): Promise<Parser> {
  const { Language, Parser } = await import("web-tree-sitter");
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(await readFile(grammarFile())));
  return parser;
}

/** The grammar of bash. The package has it beside this file, so that nobody installs the 20 MB that it is built from. */
function grammarFile(): URL | string {
  const packed = new URL("tree-sitter-bash.wasm", import.meta.url);
  return existsSync(packed) ? packed : createRequire(import.meta.url).resolve("tree-sitter-bash/tree-sitter-bash.wasm");
}
