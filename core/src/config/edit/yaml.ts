import { isDeepStrictEqual } from "node:util";
import { defaultLoaders } from "cosmiconfig";
import {
  Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  parseDocument,
  Scalar,
  type ToStringOptions,
  visit,
} from "yaml";
import { CannotEdit, type ConfigEdit, outermost } from "../edit-config.ts";
import { asData, changed, changesFor, type DataPath, entryOf } from "./data.ts";

export const empty = "";

/** Edits YAML in place: comments, anchors, quotes and layout stay as they are. */
export function edit(text: string, edits: readonly ConfigEdit[]): string {
  return edits.reduce(editOnce, text);
}

function editOnce(text: string, one: ConfigEdit): string {
  const data = read(text);
  const changes = changesFor(data, one);
  if (changes.length === 0) return text;
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const plain = text.replaceAll("\r\n", "\n");
  const document = parseDocument(plain);
  // Comments only: they stay above.
  if (document.contents === null && document.errors.length === 0 && plain.trim() !== "") {
    const own = changes.reduce<Document>((made, { path, value }) => {
      made.setIn(path, nodeOf(made, value));
      return made;
    }, new Document({}));
    return `${plain.trimEnd()}\n${own.toString({ lineWidth: 0 })}`.replaceAll("\n", lineEnd);
  }
  if (document.errors.length > 0) throw new CannotEdit("it is no YAML, or several documents");
  const layout = layoutOf(document, plain);
  const before = document.toString(layout);
  let expected: unknown = data ?? {};
  for (const { path, value, isNew = false } of changes) {
    expected = changed(expected, { path, value });
    if (value === undefined) document.deleteIn(path);
    else if (isNew) document.addIn(path.slice(0, -1), nodeOf(document, value));
    else replace(document, path, nodeOf(document, value));
  }
  // One that was empty stands in brackets, which nobody would write around what is in it now.
  const plugins = document.get("plugins");
  if (isSeq(plugins) && isEmpty(data)) plugins.flow = false;
  const edited = patched(plain, before, document.toString(layout));
  if (!isDeepStrictEqual(commentsIn(edited), commentsIn(plain))) throw new CannotEdit("a comment would be lost");
  if (!isDeepStrictEqual(read(edited), expected)) throw new CannotEdit("it would say something else");
  return edited.replaceAll("\n", lineEnd);
}

/** A value that takes another one's place has its comment, too. */
function replace(document: Document, path: DataPath, node: Node): void {
  const before = document.getIn(path, true);
  if (isScalar(before) && isScalar(node)) Object.assign(before, { value: node.value, type: node.type ?? before.type });
  else document.setIn(path, node);
}

function commentsIn(text: string): string[] {
  return [...new Lexer().lex(text)].filter((token) => token.startsWith("#"));
}

function isEmpty(data: unknown): boolean {
  const { plugins } = Object(data) as { plugins?: unknown };
  return Array.isArray(plugins) && plugins.length === 0;
}

export function paste(edits: readonly ConfigEdit[]): string {
  return edits.map(linesOf).join("\n");
}

function linesOf(one: ConfigEdit): string {
  if (one.kind === "remove-plugin") return `Take ${one.package} out of plugins.`;
  if (one.kind === "remove-rule") return `Take ${one.rule} out of permissions.${one.list}.`;
  const document = new Document({});
  if (one.kind === "set") {
    const { key, value } = outermost(one);
    document.set(key, nodeOf(document, asData(value)));
  } else if (one.kind === "rule") document.set("permissions", nodeOf(document, { [one.list]: [asData(one.rule)] }));
  else document.set("plugins", nodeOf(document, [entryOf(one)]));
  return document.toString({ lineWidth: 0 }).trimEnd();
}

/** As the config's reader does, whose YAML is a little different: a date is one there. */
function read(text: string): unknown {
  return text.replaceAll(/^\s*#.*$/gm, "").trim() === "" ? {} : defaultLoaders[".yaml"]("hermes.config.yaml", text);
}

/** The way of writing in which as much as can be of the text as it was comes out again. */
function layoutOf(document: Document.Parsed, text: string): ToStringOptions {
  const ways = [2, 4, 3, 8].flatMap((indent) =>
    [true, false].flatMap((indentSeq) =>
      [false, true].map(
        (flowCollectionPadding): ToStringOptions => ({ indent, indentSeq, flowCollectionPadding, lineWidth: 0 }),
      ),
    ),
  );
  const lines = text.split("\n");
  const differing = (way: ToStringOptions) => {
    const written = document.toString(way).split("\n");
    return written.filter((line, at) => line !== lines[at]).length + Math.abs(written.length - lines.length);
  };
  let [best, least] = [ways[0] ?? {}, Number.POSITIVE_INFINITY];
  for (const way of ways) {
    const found = differing(way);
    if (found < least) [best, least] = [way, found];
    if (found === 0) break;
  }
  return best;
}

/**
 * `text` with what differs between `before` and `after`, which are the same document as the library writes it: it knows
 * nothing of spaces before a comment and the like.
 */
function patched(text: string, before: string, after: string): string {
  if (text === before || text.trim() === "") return after;
  const hasEnd = text.endsWith("\n");
  const [own, old, now] = [text, before, after].map((one) => one.replace(/\n$/, "").split("\n")) as [
    string[],
    string[],
    string[],
  ];
  const words = (line: string | undefined) => line?.replaceAll(/\s+/g, "");
  if (own.length !== old.length || own.some((line, at) => words(line) !== words(old[at]))) {
    throw new CannotEdit("its layout would not be kept");
  }
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const most = Math.min(old.length, now.length) - start;
  while (end < most && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const lines = [...own.slice(0, start), ...now.slice(start, now.length - end), ...own.slice(own.length - end)];
  return lines.join("\n") + (hasEnd ? "\n" : "");
}

/** More than that on a line, and a plugin's options stand below each other. */
const WIDTH = 80;

function nodeOf(document: Document, value: unknown) {
  const node = document.createNode(value);
  visit(node, {
    Scalar(_, scalar) {
      // What begins so is a text for every reader of YAML.
      if (typeof scalar.value === "string" && !/^[A-Za-z$/]/.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
    Collection(_, collection) {
      if (!isSeq(collection) || JSON.stringify(collection).length > WIDTH) return;
      if (isPair(collection) || (collection.items.every(isScalar) && collection !== node)) collection.flow = true;
    },
  });
  return node;
}

/** A plugin with its options. */
function isPair({ items }: { readonly items: readonly unknown[] }): boolean {
  return items.length === 2 && isScalar(items[0]) && isMap(items[1]);
}
