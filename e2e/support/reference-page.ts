import type { ApiItem } from "./api-extractor.ts";

/** The page of reference of an entry: what it exports, with the doc comments, by the module that each stands in. */
export function referencePage(importedAs: string, items: readonly ApiItem[]): string {
  const anchors = anchorsOf(items);
  const modules = [...Map.groupBy(items, moduleOf)].sort(([one], [other]) => (one < other ? -1 : 1));
  const parts = modules.map(([module, own]) => {
    const names = [...Map.groupBy(own, ({ name }) => name)];
    return `## ${module}\n\n${names.map(([name, declarations]) => shownName(name, declarations, anchors)).join("\n")}`;
  });
  return `# Reference of ${importedAs}

Made of the doc comments in the sources: change those, and write this page anew with
\`UPDATE_DOCS=1 npx vitest run --project e2e api-report\`.

${parts.join("\n")}`;
}

/** The names that say nothing of what they are for. */
export function undocumented(items: readonly ApiItem[]): string[] {
  return [...Map.groupBy(items, ({ name }) => name)].flatMap(([name, declarations]) =>
    declarations.some((item) => textOf(item) !== "") ? [] : `${moduleOf(declarations[0])}: ${name}`,
  );
}

/** `adapter/message` for what is built to `dist/adapter/message.d.ts`. */
function moduleOf(item: ApiItem | undefined): string {
  return item?.fileUrlPath?.replace(/^dist\//, "").replace(/\.d\.ts$/, "") ?? "";
}

function shownName(name: string, declarations: readonly ApiItem[], anchors: ReadonlyMap<string, string>): string {
  const said = declarations.map((item) => linked(textOf(item), anchors)).filter((text) => text !== "");
  const isShown = ({ kind }: ApiItem) => kind !== "Interface" && kind !== "Class";
  const signatures = declarations.filter(isShown).map(signatureOf);
  const heads = declarations.filter((item) => !isShown(item)).map((item) => `\`${signatureOf(item)}\``);
  const members = declarations
    .flatMap(({ members: own = [] }) => own)
    .filter(({ name: own = "" }) => !own.startsWith("["));
  const isTold = (item: ApiItem) => textOf(item) !== "";
  const told = members.filter(isTold).map((member) => {
    return `- \`${signatureOf(member)}\`: ${linked(textOf(member), anchors).replaceAll("\n", "\n  ")}\n`;
  });
  const bare = members.filter((member) => !isTold(member)).map((member) => `\`${signatureOf(member)}\``);
  return [
    `### ${name}\n\n`,
    heads.length === 0 ? "" : `${heads.join(", ")}\n\n`,
    ...said.map((text) => `${text}\n\n`),
    signatures.length === 0 ? "" : `\`\`\`ts\n${signatures.join("\n")}\n\`\`\`\n`,
    ...told,
    bare.length === 0 ? "" : `- ${bare.join(", ")}\n`,
  ].join("");
}

/** On one line, where it is short enough to be read there. */
function signatureOf({ kind, excerptTokens = [] }: ApiItem): string {
  const text = excerptTokens.map((token) => token.text).join("");
  const bare = text
    .replace(/^export (?:declare )?/, "")
    .replace(/;$/, "")
    .trim();
  return /TypeAlias|Function|Variable/.test(kind) ? bare : bare.replaceAll(/\s+/g, " ");
}

/** The words of a doc comment. */
function textOf({ docComment = "" }: ApiItem): string {
  return (
    docComment
      .replace(/^\/\*\*/, "")
      .replace(/\*\/\s*$/, "")
      .split("\n")
      .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
      .filter((line) => !/^@(?:public|example)$/.test(line))
      .join("\n")
      .trim()
      // What API Extractor says of a constructor without a comment.
      .replace(/^Constructs a new instance of the .* class$/, "")
  );
}

/** A name of this page is a link; any other is code. */
function linked(text: string, anchors: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{@link ([\w.]+)\}/g, (_all, name: string) => {
    const anchor = anchors.get(name);
    return anchor === undefined ? `\`${name}\`` : `[\`${name}\`](#${anchor})`;
  });
}

/** The anchors of the names, as GitHub makes them: two that differ in capitals only get a number. */
function anchorsOf(items: readonly ApiItem[]): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const taken = new Map<string, number>();
  const modules = [...Map.groupBy(items, moduleOf)].sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [module, own] of modules) {
    const headings = [module.toLowerCase().replaceAll("/", ""), ...new Set(own.map(({ name }) => name))];
    for (const [at, heading] of headings.entries()) {
      const plain = heading.toLowerCase();
      const before = taken.get(plain) ?? 0;
      taken.set(plain, before + 1);
      if (at > 0) anchors.set(heading, before === 0 ? plain : `${plain}-${before}`);
    }
  }
  return anchors;
}
