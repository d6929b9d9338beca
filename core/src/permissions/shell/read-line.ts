import type { Node } from "web-tree-sitter";
import { withTree } from "./parser.ts";
import { staticWord } from "./static-word.ts";

/** A word of a command; null where only bash knows what it becomes. */
export type Word = string | null;

/** What a line of bash does, as far as that stands in it. */
export interface ShellLine {
  readonly commands: readonly (readonly Word[])[];
  /** Files that redirections write to, and read from, as they are written. */
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** The folder of a `cd` that the line begins with; null where it stays. */
  readonly folder: string | null;
  /** Why the line may do something else. Empty where all that it does stands above. */
  readonly doubts: readonly string[];
}

/** In UTF-16 units. A line that is longer is not read. */
const LONGEST_LINE = 10_000;
const DEEPEST = 100;
const MOST_NODES = 5_000;

/** Nodes that are as harmless as what is in them. */
const TRANSPARENT = new Set(["program", "list", "pipeline", "subshell", "compound_statement", "negated_command"]);
const BETWEEN = new Set([";", "&", "&&", "||", "|", "|&", "(", ")", "{", "}", "!", "\n"]);
const WORDS = new Set(["word", "number", "string", "raw_string", "concatenation"]);
const WRITING = new Set([">", ">>", ">|", "&>", "&>>", ">&"]);
/** What nobody sees, or what bash takes for a letter and a person for a space. */
const HIDDEN = /[^\P{C}\n\t]|[^\P{Z} ]/u;

/** Reads a line of bash. Whatever it cannot tell for certain is a doubt, and commands within are found all the same. */
export async function readLine(line: string): Promise<ShellLine> {
  const reader = new ShellLineReader(line);
  if (line.length > LONGEST_LINE) reader.doubt("it is too long to be read");
  else if (HIDDEN.test(line)) reader.doubt("it has hidden characters in it");
  else {
    const isRead = await withTree(line, ({ rootNode }) => {
      reader.read(rootNode);
      return true;
    });
    if (isRead === null) reader.doubt("it takes too long to be read");
  }
  return reader.result();
}

class ShellLineReader {
  readonly #line: string;
  readonly #commands: Word[][] = [];
  readonly #writes: string[] = [];
  readonly #reads: string[] = [];
  readonly #doubts = new Set<string>();
  #folder: string | null = null;
  #nodes = 0;

  constructor(line: string) {
    this.#line = line;
  }

  doubt(reason: string): void {
    this.#doubts.add(reason);
  }

  read(root: Node): void {
    if (root.hasError) this.doubt("bash would read it otherwise, or not at all");
    this.#walk(root, 0);
    if (this.#commands.length + this.#writes.length === 0) this.doubt("there is no command in it");
    this.#takeFolder(root);
  }

  result(): ShellLine {
    const doubts = [...this.#doubts];
    return { commands: this.#commands, writes: this.#writes, reads: this.#reads, folder: this.#folder, doubts };
  }

  #walk(node: Node, depth: number): void {
    if (++this.#nodes > MOST_NODES || depth > DEEPEST) return void this.doubt("there is too much in it");
    const children = node.children.filter((child) => child !== null);
    this.#checkGaps(node, children);
    if (node.isError || node.isMissing) this.doubt("bash would read it otherwise, or not at all");
    else if (node.type === "command") this.#command(children);
    else if (node.type === "file_redirect") this.#redirection(node, children);
    else if (node.type === "redirected_statement") this.#redirected(children);
    else if (!TRANSPARENT.has(node.type) && node.type !== "comment" && !this.#isInWord(node)) {
      if (!BETWEEN.has(node.type)) this.doubt(`its ${node.type.replaceAll("_", " ")} is not looked into`);
    }
    for (const child of children) this.#walk(child, depth + 1);
  }

  /** Parts of words are judged with their word. What runs within them is walked as well. */
  #isInWord(node: Node): boolean {
    if (WORDS.has(node.type) || ["command_name", "string_content", '"', "file_descriptor"].includes(node.type))
      return true;
    const parent = node.parent?.type;
    return parent === "file_redirect" && (WRITING.has(node.type) || /^(?:<|<&|<&-|>&-)$/.test(node.type));
  }

  /** Whatever the tree leaves out must be blank, or bash would see something that is not judged. */
  #checkGaps(node: Node, children: readonly Node[]): void {
    if (children.length === 0 || WORDS.has(node.type)) return;
    // A line that ends within a command would be two commands.
    const blank = node.type === "command" ? /^[ \t]*$/ : /^[ \t\n]*$/;
    const isRoot = node.parent === null;
    let end = isRoot ? 0 : node.startIndex;
    let before: Node | null = null;
    for (const child of children) {
      if (!blank.test(this.#line.slice(end, child.startIndex))) this.doubt("a part of it is not understood");
      const isJoined = before !== null && child.startIndex === end;
      if (isJoined && isWordlike(child) && isWordlike(before)) this.doubt("where its words end is not certain");
      [before, end] = [child, child.endIndex];
    }
    if (!blank.test(this.#line.slice(end, isRoot ? undefined : node.endIndex))) {
      this.doubt("a part of it is not understood");
    }
  }

  #command(children: readonly Node[]): void {
    const words: Word[] = [];
    for (const child of children) {
      if (child.type === "variable_assignment") this.doubt("it sets a variable");
      else if (child.type === "file_redirect") continue;
      else words.push(child.type === "command_name" || WORDS.has(child.type) ? staticWord(child.text) : null);
    }
    if (words.includes(null))
      this.doubt("bash makes its words of something else: an expansion, a pattern, a quotation");
    const [name] = words;
    if (typeof name === "string" && !/^[\w./+[-]+$/.test(name)) this.doubt("what it runs is not certain");
    this.#commands.push(words);
  }

  #redirected(children: readonly Node[]): void {
    for (const child of children) {
      const isKnown = ["file_redirect", "command", "redirected_statement"].includes(child.type);
      if (!isKnown && !TRANSPARENT.has(child.type)) this.doubt("its redirection is not looked into");
    }
  }

  #redirection(node: Node, children: readonly Node[]): void {
    const targets = node.childrenForFieldName("destination").filter((child) => child !== null);
    const [target, ...more] = targets;
    const operator = children.find((child) => !child.isNamed)?.type ?? "";
    if (more.length > 0) return void this.doubt("a word stands behind its redirection");
    const isGlued = !/[\s;&|(){}<>]/.test(this.#line[node.startIndex - 1] ?? " ");
    if (isGlued && children[0]?.type === "file_descriptor") this.doubt("where its words end is not certain");
    if (target === undefined) {
      if (!/^[<>]&-$/.test(operator)) this.doubt("its redirection is not looked into");
      return;
    }
    const path = staticWord(target.text);
    if (path === null || path === "") return void this.doubt("where it is redirected to is not certain");
    if (/^[<>]&$/.test(operator) && /^\d$/.test(path)) return;
    if (/^\/dev\/(?:tcp|udp)(?:\/|$)/.test(path)) return void this.doubt("its redirection opens a connection");
    if (path === "/dev/null") return;
    if (operator === "<") this.#reads.push(path);
    else if (WRITING.has(operator)) this.#writes.push(path);
    else this.doubt("its redirection is not looked into");
  }

  /** `cd <folder> && …`, where the rest runs in that folder or not at all. */
  #takeFolder(root: Node): void {
    const [only, ...more] = root.namedChildren.filter((child) => child !== null && child.type !== "comment");
    let first = only ?? null;
    while (first?.type === "list") {
      if (first.children[1]?.type !== "&&") return;
      first = first.children[0] ?? null;
    }
    const [name, folder, ...others] = this.#commands[0] ?? [];
    if (more.length > 0 || first?.type !== "command" || name !== "cd" || first === only) return;
    if (typeof folder !== "string" || others.length > 0 || folder === "" || folder.startsWith("-")) return;
    this.#folder = folder;
    this.#commands.shift();
  }
}

function isWordlike(node: Node | null): boolean {
  return node !== null && (WORDS.has(node.type) || node.type === "command_name");
}
