import { isDeepStrictEqual } from "node:util";
import { parseExpression } from "@babel/parser";
import type * as t from "@babel/types";
import { CannotEdit, type ConfigEdit, outermost } from "../edit-config.ts";
import { styleOf, valueInCode } from "./code-style.ts";
import { asData, changed, changesFor, type DataChange, type DataPath, entryOf } from "./data.ts";
import { addElement, applied, indentationAt, type Parsed, type Replacement, withoutElement } from "./replace.ts";
import { property, spanOf, tokensOf } from "./syntax.ts";

export const empty = "{}\n";

/** Edits JSON in place: indentation, order and line ends stay as they are. `at` is where in the file the config stands. */
export function edit(text: string, edits: readonly ConfigEdit[], at: DataPath = []): string {
  let edited = text.trim() === "" ? empty : text;
  for (const one of edits) {
    const whole: unknown = JSON.parse(edited);
    const config = at.reduce<unknown>((value, key) => Object(value)[key], whole);
    let expected = whole;
    for (const change of changesFor(config, one)) {
      const path = [...at, ...change.path];
      expected = changed(expected, { ...change, path });
      edited = applied(edited, [replacementFor(edited, { ...change, path })]);
    }
    // A key that is there twice, say.
    if (!isDeepStrictEqual(JSON.parse(edited), expected)) throw new CannotEdit("it would say something else");
  }
  return edited;
}

export function paste(edits: readonly ConfigEdit[]): string {
  const style = { ...styleOf(""), isJson: true };
  return edits
    .map((one) => {
      if (one.kind === "set") {
        const { key, value } = outermost(one);
        return `${JSON.stringify(key)}: ${valueInCode(asData(value), style, "")}`;
      }
      if (one.kind === "plugin") return `"plugins": [${valueInCode(entryOf(one), style, "")}]`;
      if (one.kind === "rule") return `"permissions": ${valueInCode({ [one.list]: [asData(one.rule)] }, style, "")}`;
      if (one.kind === "remove-rule") return `Take ${one.rule} out of permissions.${one.list}.`;
      return `Take ${one.package} out of plugins.`;
    })
    .join("\n");
}

function replacementFor(text: string, { path, value }: DataChange): Replacement {
  const style = { ...styleOf(text), isJson: true };
  const root = parseExpression(text, { tokens: true });
  const parsed: Parsed = { text, tokens: tokensOf(root as unknown as t.File) };
  const parent = path.slice(0, -1).reduce<t.Node | null>(childOf, root);
  const key = path.at(-1) ?? "";
  const child = childOf(parent, key);
  if (child !== null) {
    if (value === undefined) return withoutElement(parsed, child, spanOf(parent));
    const { start, end } = spanOf(child);
    return { start, end, text: valueInCode(value, style, indentationAt(text, start)) };
  }
  const written = (indentation: string) => valueInCode(value, style, indentation);
  if (parent?.type === "ArrayExpression") return addElement(parsed, parent.elements, spanOf(parent), written, style);
  if (parent?.type !== "ObjectExpression") throw new CannotEdit("there is no such place");
  const line = (indentation: string) => `${JSON.stringify(key)}: ${written(indentation)}`;
  return addElement(parsed, parent.properties, spanOf(parent), line, style);
}

function childOf(parent: t.Node | null, key: string | number): t.Node | null {
  if (typeof key === "number") return parent?.type === "ArrayExpression" ? (parent.elements[key] ?? null) : null;
  return parent?.type === "ObjectExpression" ? (property(parent, key)?.value ?? null) : null;
}
