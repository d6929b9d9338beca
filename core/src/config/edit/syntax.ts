import { parse } from "@babel/parser";
import type * as t from "@babel/types";
import { CannotEdit } from "../edit-config.ts";

/** A config that is code, parsed, with what an edit has to know of it. */
export interface Code {
  readonly text: string;
  readonly tokens: readonly { readonly start: number; readonly end: number }[];
  readonly file: t.File;
  /** The object that it exports. */
  readonly config: t.ObjectExpression;
}

/** Throws what the parser throws, and CannotEdit for a config that is no object in its own file. */
export function parseCode(text: string): Code {
  const file = parseFile(text);
  return { text, tokens: tokensOf(file), file, config: exportedObject(file.program) };
}

export function parseFile(text: string): t.File {
  return parse(text, { sourceType: "unambiguous", plugins: ["typescript"], tokens: true });
}

/** The tokens of a file, without its comments. */
export function tokensOf({
  tokens,
}: Pick<t.File, "tokens">): readonly { readonly start: number; readonly end: number }[] {
  return (tokens ?? []).filter(({ type }: { type: unknown }) => type !== "CommentLine" && type !== "CommentBlock");
}

/** A package's bindings in a file: what it exports under which name here, and where. */
export interface Import {
  readonly statement: t.ImportDeclaration | t.VariableDeclaration;
  readonly source: string;
  readonly isType: boolean;
  readonly names: readonly { readonly exported: string; readonly local: string; readonly node: t.Node }[];
}

/** What stands at the top of a file as `import { … } from "…"` and `const { … } = require("…")`. */
export function importsIn({ program }: t.File): Import[] {
  return program.body.flatMap((statement): Import[] => {
    if (statement.type === "ImportDeclaration") {
      const names = statement.specifiers.flatMap((node) =>
        node.type === "ImportSpecifier"
          ? { exported: nameOf(node.imported), local: node.local.name, node }
          : { exported: node.type === "ImportDefaultSpecifier" ? "default" : "*", local: node.local.name, node },
      );
      return [{ statement, source: statement.source.value, isType: statement.importKind === "type", names }];
    }
    if (statement.type !== "VariableDeclaration") return [];
    const [declaration, ...more] = statement.declarations;
    const source = requiredBy(declaration?.init);
    if (declaration === undefined || more.length > 0 || source === null) return [];
    if (declaration.id.type !== "ObjectPattern") {
      const local = declaration.id.type === "Identifier" ? declaration.id.name : "";
      return [{ statement, source, isType: false, names: [{ exported: "*", local, node: declaration.id }] }];
    }
    const names = declaration.id.properties.flatMap((node) =>
      node.type === "ObjectProperty" && node.value.type === "Identifier"
        ? { exported: nameOf(node.key), local: node.value.name, node }
        : [],
    );
    return [{ statement, source, isType: false, names }];
  });
}

/** Every name that is used in a file, apart from those that `except` has in it. */
export function namesUsed(file: t.File, except: t.Node): Set<string> {
  const names = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null || value === except) return;
    if (Array.isArray(value)) for (const inner of value) look(inner);
    else {
      const node = value as t.Node;
      if (node.type === "Identifier") names.add(node.name);
      for (const [key, inner] of Object.entries(node)) if (!/comments$|^loc$|^extra$/i.test(key)) look(inner);
    }
  };
  look(file.program.body);
  return names;
}

export function property(object: t.ObjectExpression, name: string): t.ObjectProperty | null {
  const found = object.properties.filter(
    (one) => one.type !== "SpreadElement" && !one.computed && nameOf(one.key) === name,
  );
  const [first, second] = found;
  if (second !== undefined || (first !== undefined && first.type !== "ObjectProperty")) {
    throw new CannotEdit(`${name} is not one value`);
  }
  // What is spread behind it goes before it.
  const behind = object.properties.slice(first === undefined ? 0 : object.properties.indexOf(first));
  if (behind.some((one) => one.type === "SpreadElement" || one.computed)) throw new CannotEdit("it is put together");
  return first ?? null;
}

/** The place of a node in the text. */
export function spanOf(node: t.Node | undefined | null): { readonly start: number; readonly end: number } {
  if (node?.start == null || node.end == null) throw new CannotEdit("a part has no place");
  return { start: node.start, end: node.end };
}

/** What types say around an expression, taken off. */
export function bare(node: t.Node | null | undefined): t.Node | null {
  if (node == null) return null;
  const isTyped = ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression", "TSTypeAssertion"];
  return isTyped.includes(node.type) ? bare((node as t.TSAsExpression).expression) : node;
}

function exportedObject(program: t.Program): t.ObjectExpression {
  const exported = program.body.flatMap((statement): t.Node[] => {
    if (statement.type === "ExportDefaultDeclaration") return [statement.declaration];
    if (statement.type === "TSExportAssignment") return [statement.expression];
    const { expression } = statement as { expression?: t.Node };
    return expression?.type === "AssignmentExpression" && isModuleExports(expression.left) ? [expression.right] : [];
  });
  const [first, ...more] = exported;
  const object = objectOf(first ?? null, program);
  if (object === null || more.length > 0) throw new CannotEdit("it exports no object that stands in it");
  return object;
}

/** The object behind `{ … }`, `defineConfig({ … })`, or the name of a constant that is one. */
function objectOf(node: t.Node | null, program: t.Program): t.ObjectExpression | null {
  const value = bare(node);
  if (value?.type === "ObjectExpression") return value;
  if (value?.type === "CallExpression") {
    const isDefinition = value.callee.type === "Identifier" && value.callee.name === "defineConfig";
    return isDefinition ? objectOf(value.arguments[0] ?? null, program) : null;
  }
  if (value?.type !== "Identifier") return null;
  for (const statement of program.body) {
    if (statement.type !== "VariableDeclaration" || statement.kind !== "const") continue;
    for (const { id, init } of statement.declarations) {
      if (id.type === "Identifier" && id.name === value.name) return objectOf(init ?? null, program);
    }
  }
  return null;
}

function isModuleExports(node: t.Node): boolean {
  return (
    node.type === "MemberExpression" &&
    node.object.type === "Identifier" &&
    node.object.name === "module" &&
    node.property.type === "Identifier" &&
    node.property.name === "exports"
  );
}

function requiredBy(node: t.Node | null | undefined): string | null {
  if (node?.type !== "CallExpression" || node.callee.type !== "Identifier" || node.callee.name !== "require")
    return null;
  const [source] = node.arguments;
  return source?.type === "StringLiteral" ? source.value : null;
}

function nameOf(node: t.Node): string {
  if (node.type === "Identifier") return node.name;
  return node.type === "StringLiteral" ? node.value : "";
}
