import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ERROR_TABLE, type ErrorCode } from "../core/src/base/error-table.ts";
import { expectOnPage } from "./support/generated-table.ts";

const root = resolve(import.meta.dirname, "..");
const tableFile = join(root, "core/src/base/error-table.ts");

/** What docs/errors.md says of each group, above its codes. */
const GROUPS: Record<string, string> = {
  config: "The config is looked for, read and checked. `hermes config check` tells all that is wrong at once.",
  plugins: "A plugin is not there, not usable, or failed. The other plugins go on.",
  store: "The one file that everything is kept in.",
  sessions: "Sessions, their titles and their turns.",
  handoff: "On the way from one place to another. Whatever is said here, the session itself is kept.",
  agent: "The model, and who serves it.",
  platforms:
    "The words in which an adapter says what its platform said, as a `PlatformError`. Which of them may be tried " +
    "again is theirs to tell: `retryable`, and how long to wait: `retryAfterMs`.",
  commands: "The command line, slash commands, and what keeps Hermes from starting.",
};

const codes = Object.keys(ERROR_TABLE) as ErrorCode[];

describe("the table of errors", () => {
  it("docs/errors.md shows the table of errors", () => {
    expectOnPage("errors.md", "error-table", renderTable());
  });

  it("names each code once, in capitals", () => {
    const written = groupsInSource().flatMap((group) => group.codes);
    expect(written).toEqual([...new Set(written)]);
    expect(written).toEqual(codes);
    expect(codes.filter((code) => !/^[A-Z]+(_[A-Z]+)*$/.test(code))).toEqual([]);
  });

  it("every error has a sentence and a next step, with a full stop", () => {
    const isSentence = (text: string) => /^(\S.*)?[.?]$/.test(text);
    const wrong = codes.filter((code) => {
      const { sentence, hint } = ERROR_TABLE[code];
      // An adapter's hint is a sentence of its own.
      return !isSentence(sentence) || !(isSentence(hint) || hint === "{hint}");
    });
    expect(wrong).toEqual([]);
  });

  it("holds no code that nothing raises", () => {
    const sources = [join(root, "core/src"), ...pluginFolders().map((folder) => join(folder, "src"))]
      .flatMap(sourcesUnder)
      .filter((file) => file !== tableFile)
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    const raised = new Set([...sources.matchAll(/new (?:Hermes|Platform)Error\(\s*"(\w+)"/g)].map(([, code]) => code));
    // What a platform may say is a vocabulary for all plugins, those outside this repository too.
    const unused = codes.filter((code) => !code.startsWith("PLATFORM_") && !raised.has(code));
    expect(unused).toEqual([]);
  });

  it("names no platform", () => {
    const own = pluginFolders().map((folder) => platformOf(folder));
    const names = new RegExp(
      `\\b(${[...own, "telegram", "discord", "slack", "whatsapp", "matrix"].join("|")})\\b`,
      "i",
    );
    const naming = codes.filter((code) => names.test(`${ERROR_TABLE[code].sentence} ${ERROR_TABLE[code].hint}`));
    expect(naming).toEqual([]);
    expect(codes.filter((code) => names.test(code.replaceAll("_", " ")))).toEqual([]);
  });
});

/** The groups as the source has them: a comment, and the codes below it. */
function groupsInSource(): { readonly name: string; readonly codes: ErrorCode[] }[] {
  const groups: { name: string; codes: ErrorCode[] }[] = [];
  for (const line of readFileSync(tableFile, "utf8").split("\n")) {
    const [, name] = /^ {2}\/\/ (\w+)$/.exec(line) ?? [];
    if (name) groups.push({ name, codes: [] });
    const [, code] = /^ {2}(\w+): entry\(/.exec(line) ?? [];
    if (code) groups.at(-1)?.codes.push(code as ErrorCode);
  }
  return groups;
}

function renderTable(): string {
  const sections = groupsInSource().map(({ name, codes: inGroup }) => {
    const rows = inGroup.map((code) => {
      const { sentence, hint, exit } = ERROR_TABLE[code];
      return `| \`${code}\` | ${cell(sentence)} | ${cell(hint)} | ${exit} |`;
    });
    const heading = `## ${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return [
      heading,
      "",
      GROUPS[name],
      "",
      "| code | sentence | next step | exit |",
      "| --- | --- | --- | --- |",
      ...rows,
    ];
  });
  return `\n${sections.map((lines) => lines.join("\n")).join("\n\n")}\n\n`;
}

/** Safe in a cell; a field's braces stay as they are. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function sourcesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes("/testing/"));
}

function pluginFolders(): string[] {
  return readdirSync(join(root, "plugins"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, "plugins", entry.name));
}

function platformOf(folder: string): string {
  const { hermes } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { hermes: { platform: string } };
  return hermes.platform;
}

it("plugins advise for a home channel that others read what hermes init looks for", () => {
  const sources = pluginFolders().flatMap((folder) => sourcesUnder(join(folder, "src")));
  const advice = sources
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => readFileSync(file, "utf8").match(/"[^"\n]*`shared: true`[^"\n]*"/g) ?? []);
  expect([...new Set(advice)]).toEqual([`"${ERROR_TABLE.CONFIG_HOME_CHANNEL_NOT_SHARED.hint}"`]);
});
