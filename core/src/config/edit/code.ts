import { isDeepStrictEqual } from "node:util";
import type * as t from "@babel/types";
import { CannotEdit, type ConfigEdit, outermost, type PluginEdit, type SetEdit } from "../edit-config.ts";
import { nameInCode, type Style, styleOf, valueInCode } from "./code-style.ts";
import { isFromVariable } from "./data.ts";
import { addElement, applied, indentationAt, lineOf, type Replacement, withoutElement } from "./replace.ts";
import { ruleReplacements } from "./rules-in-code.ts";
import { bare, type Code, importsIn, namesUsed, parseCode, parseFile, property, spanOf } from "./syntax.ts";

export const empty = 'import { defineConfig } from "@hermes/core";\n\nexport default defineConfig({});\n';

/** Edits TypeScript and JavaScript by putting in and taking out text; nothing is written anew. */
export function edit(text: string, edits: readonly ConfigEdit[]): string {
  const edited = edits.reduce((current, one) => applied(current, replacementsFor(parseCode(current), one)), text);
  const comments = (code: string) => (parseFile(code).comments ?? []).map(({ value }) => value);
  if (!isDeepStrictEqual(comments(edited), comments(text))) throw new CannotEdit("a comment would be lost");
  return edited;
}

export function paste(edits: readonly ConfigEdit[], text: string): string {
  const style: Style = { ...styleOf(text), lineEnd: "\n" };
  const lines = edits.map((one) => {
    if (one.kind === "set") {
      const { key, value } = outermost(one);
      return `${key}: ${valueInCode(value, style, "")},`;
    }
    if (one.kind === "remove-plugin") return `Take ${one.package} out of plugins, and its import.`;
    if (one.kind === "rule") return `permissions: ${valueInCode({ [one.list]: [one.rule] }, style, "")},`;
    if (one.kind === "remove-rule") return `Take ${one.rule} out of permissions.${one.list}.`;
    return `plugins: [${callOf(one, one.exportName, style, "")}],`;
  });
  const imports = edits.flatMap((one) =>
    one.kind === "plugin" ? importLine(one, style, /\brequire\(/.test(text) && !/^import\b/m.test(text)) : [],
  );
  return [...new Set(imports), ...lines].join("\n");
}

function replacementsFor(code: Code, one: ConfigEdit): Replacement[] {
  const style = styleOf(code.text);
  if (one.kind === "set") return setReplacements(code, one, style);
  if (one.kind === "rule" || one.kind === "remove-rule") return ruleReplacements(code, one, style);
  const list = pluginList(code);
  const found = list?.elements.flatMap((element) => (element && isEntryOf(element, one, code) ? element : [])) ?? [];
  if (found.length > 1) throw new CannotEdit("it is there twice");
  const [call] = found;
  if (one.kind === "remove-plugin") return list === null || call === undefined ? [] : removal(code, call, list, one);
  if (call !== undefined) return mergeOptions(code, call, one, style);
  return addition(code, list, one, style);
}

function setReplacements(code: Code, one: SetEdit, style: Style): Replacement[] {
  const outer = one.under === undefined ? null : property(code.config, one.under);
  if (outer === null) {
    const { key, value } = outermost(one);
    return setProperty(code, code.config, key, value, style);
  }
  const object = bare(outer.value);
  if (object?.type !== "ObjectExpression") throw new CannotEdit("what it is under is no object that stands in it");
  return setProperty(code, object, one.key, one.value, style);
}

/** The array literal of the plugins; null where the config has none. */
function pluginList({ config }: Code): t.ArrayExpression | null {
  const plugins = property(config, "plugins");
  if (plugins === null) return null;
  const value = bare(plugins.value);
  if (value?.type !== "ArrayExpression") throw new CannotEdit("its plugins are no list that stands in it");
  if (value.elements.some((element) => element === null || element.type === "SpreadElement")) {
    throw new CannotEdit("its plugins are put together");
  }
  return value;
}

interface Entry {
  readonly package: string;
  readonly options: t.ObjectExpression | null;
}

/** What `pager({ … })` or `["package", { … }]` stands for; null for what cannot be told. */
function entryIn(element: t.Node, { file }: Code): Entry | null {
  const node = bare(element);
  const withOptions = (name: string | undefined, value: t.Node | null | undefined): Entry | null => {
    const options = bare(value);
    if (name === undefined || (options !== null && options.type !== "ObjectExpression")) return null;
    return { package: name, options };
  };
  if (node?.type === "StringLiteral") return withOptions(node.value, null);
  if (node?.type === "ArrayExpression") {
    const [name, options] = node.elements;
    return name?.type === "StringLiteral" ? withOptions(name.value, options) : null;
  }
  if (node?.type !== "CallExpression" || node.callee.type !== "Identifier") return null;
  const { name: local } = node.callee;
  const source = importsIn(file).find(({ names }) => names.some((own) => own.local === local))?.source;
  return withOptions(source, node.arguments[0]);
}

function isEntryOf(
  element: t.Node,
  { package: name, account }: { readonly package: string; readonly account?: string | undefined },
  code: Code,
): boolean {
  const entry = entryIn(element, code);
  if (entry === null) {
    const mayBe = importsIn(code.file).some(({ source }) => source === name);
    if (mayBe) throw new CannotEdit("whether it is there cannot be told");
    return false;
  }
  if (entry.package !== name) return false;
  const own = entry.options === null ? undefined : property(entry.options, "account")?.value;
  if (own !== undefined && own.type !== "StringLiteral") throw new CannotEdit("its account is worked out");
  return own?.value === account;
}

function addition(code: Code, list: t.ArrayExpression | null, one: PluginEdit, style: Style): Replacement[] {
  const known = importsIn(code.file).flatMap(({ source, names, isType }) =>
    source === one.package && !isType ? names : [],
  );
  const imported = known.find(({ exported }) => exported === one.exportName);
  const local = imported?.local ?? one.exportName;
  if (imported === undefined && namesUsed(code.file, code.config).has(local)) throw new CannotEdit("its name is taken");
  const entry = (indentation: string) => callOf(one, local, style, indentation);
  const added = list
    ? addElement(code, list.elements, spanOf(list), entry, style)
    : addElement(
        ...([code, code.config.properties, spanOf(code.config)] as const),
        (indentation) => {
          const inner = indentation + style.indentation;
          return `plugins: [${style.lineEnd}${inner}${entry(inner)},${style.lineEnd}${indentation}]`;
        },
        style,
      );
  return imported === undefined ? [importOf(code, one, style), added] : [added];
}

/** The import behind the last one, or at the top. */
function importOf({ file, text }: Code, one: PluginEdit, style: Style): Replacement {
  const last = importsIn(file).at(-1)?.statement;
  const isRequired = file.program.sourceType === "script" || last?.type === "VariableDeclaration";
  const line = importLine(one, style, isRequired);
  if (last !== undefined) {
    // Behind a comment on its line, too.
    const at = text.slice(spanOf(last).end).search(/\r?\n|$/) + spanOf(last).end;
    if (text.slice(spanOf(last).end, at).includes("/*")) throw new CannotEdit("a comment begins behind an import");
    return { start: at, end: at, text: `${style.lineEnd}${line}` };
  }
  if (file.program.directives.length > 0) throw new CannotEdit("it begins with a directive");
  const [first] = file.program.body;
  // A comment of the first statement stays with it; one of the whole file stays first.
  const [comment] = first?.leadingComments?.slice(-1) ?? [];
  const isOfStatement = comment?.type === "CommentBlock" && comment.value.startsWith("*");
  const start = (isOfStatement ? comment.start : first?.start) ?? 0;
  return { start, end: start, text: `${line}${style.lineEnd}${style.lineEnd}` };
}

function importLine(one: PluginEdit, { quote, semicolon }: Style, isRequired: boolean): string {
  const source = `${quote}${one.package}${quote}`;
  return isRequired
    ? `const { ${one.exportName} } = require(${source})${semicolon}`
    : `import { ${one.exportName} } from ${source}${semicolon}`;
}

function callOf({ account, options }: PluginEdit, local: string, style: Style, indentation: string): string {
  const all = { ...(account === undefined ? {} : { account }), ...options };
  return `${local}(${Object.keys(all).length === 0 ? "" : valueInCode(all, style, indentation)})`;
}

function setProperty(code: Code, object: t.ObjectExpression, key: string, value: unknown, style: Style): Replacement[] {
  const found = property(object, key);
  const name = nameInCode(key, style);
  if (found === null) {
    if (value === undefined) return [];
    const line = (indentation: string) => `${name}: ${valueInCode(value, style, indentation)}`;
    return [addElement(code, object.properties, spanOf(object), line, style)];
  }
  if (value === undefined) return [withoutElement(code, found, spanOf(object))];
  if (isSame(found.value, value)) return [];
  // `{ token }`: the value is the name itself.
  if (found.shorthand) throw new CannotEdit("its value is worked out elsewhere");
  const indentation = indentationAt(code.text, spanOf(found).start);
  return [{ ...spanOf(found.value), text: valueInCode(value, style, indentation) }];
}

function mergeOptions(code: Code, element: t.Node, one: PluginEdit, style: Style): Replacement[] {
  const { options } = entryIn(element, code) ?? { options: null };
  if (Object.keys(one.options).length === 0) return [];
  if (options === null) {
    const call = bare(element);
    if (call?.type !== "CallExpression") throw new CannotEdit("it is only named");
    const { start, end } = spanOf(call);
    const text = valueInCode(one.options, style, indentationAt(code.text, start));
    return [{ start: end - 1, end: end - 1, text }];
  }
  const news = Object.entries(one.options).filter(([key]) => property(options, key) === null);
  const changes = Object.entries(one.options)
    .filter(([key]) => property(options, key) !== null)
    .flatMap(([key, value]) => setProperty(code, options, key, value, style));
  if (news.length === 0) return changes;
  const lines = (indentation: string) =>
    news
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${nameInCode(key, style)}: ${valueInCode(value, style, indentation)}`)
      .join(
        code.text.slice(spanOf(options).start, spanOf(options).end).includes("\n")
          ? `,${style.lineEnd}${indentation}`
          : ", ",
      );
  return [...changes, addElement(code, options.properties, spanOf(options), lines, style)];
}

function removal(
  code: Code,
  element: t.Node,
  list: t.ArrayExpression,
  one: { readonly package: string },
): Replacement[] {
  const replacements = [withoutElement(code, element, spanOf(list))];
  const used = namesUsedWithout(code, replacements);
  for (const { statement, source, names } of importsIn(code.file)) {
    if (source !== one.package) continue;
    if (names.some(({ local }) => used.has(local))) {
      const others = list.elements.filter(
        (other) => other !== element && other && entryIn(other, code)?.package === source,
      );
      if (others.length === 0) throw new CannotEdit("its package is used elsewhere, too");
      continue;
    }
    replacements.push(lineOf(code.text, spanOf(statement)));
  }
  return replacements;
}

/** The names that are used when something is gone, imports left out. */
function namesUsedWithout({ text }: Code, replacements: readonly Replacement[]): Set<string> {
  const file = parseFile(applied(text, replacements));
  const statements = new Set<t.Node>(importsIn(file).map(({ statement }) => statement));
  const program = { ...file.program, body: file.program.body.filter((one) => !statements.has(one)) };
  return namesUsed({ ...file, program }, file);
}

/** Whether code says a plain value already. */
function isSame(node: t.Node, value: unknown): boolean {
  if (isFromVariable(value)) {
    return (
      node.type === "MemberExpression" &&
      node.property.type === "Identifier" &&
      node.property.name === value.variable &&
      node.object.type === "MemberExpression" &&
      node.object.property.type === "Identifier" &&
      node.object.property.name === "env"
    );
  }
  const isLiteral = ["StringLiteral", "NumericLiteral", "BooleanLiteral"].includes(node.type);
  return isLiteral && (node as t.StringLiteral).value === value;
}
