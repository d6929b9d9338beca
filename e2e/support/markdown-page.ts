/** A fenced block: its marks, its language, the rest of its first line, its code. */
const FENCE = /^(`{3,})(\w*)([^\n]*)\n([\s\S]*?)^\1$/gm;

/** A file that a page shows whole. */
export interface ShownFile {
  readonly name: string;
  readonly code: string;
}

/** The TypeScript files that a page shows whole: the first line of such a block is a comment with the file's name. */
export function wholeFilesIn(text: string): ShownFile[] {
  return [...text.matchAll(FENCE)].flatMap(([, , language, , code = ""]) => {
    const [, name] = /^\/\/ ([\w@./-]+\.tsx?)\n/.exec(code) ?? [];
    return language === "ts" && name !== undefined ? { name, code } : [];
  });
}

/** What stands in code blocks and code spans. */
export function codeIn(text: string): string[] {
  const blocks = [...text.matchAll(FENCE)].map((match) => match[4] ?? "");
  const spans = [...text.replaceAll(FENCE, "").matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? "");
  return [...blocks, ...spans];
}

/** Links and pictures within the repository. */
export function linksIn(text: string): string[] {
  const prose = text.replaceAll(FENCE, "").replaceAll(/`[^`\n]+`/g, "code");
  const links = [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)|(?:src|href|srcset)="([^"\s]+)[^"]*"/g)];
  return links.map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml ?? "").filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsIn(text: string): Set<string> {
  const headings = [...text.replaceAll(FENCE, "").matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => heading);
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
  return new Set(headings.map(anchorOf));
}

/** The rows of the tables below a heading of the second level, each with its cells. */
export function tableRowsIn(text: string, heading: string): string[][] {
  const section = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
