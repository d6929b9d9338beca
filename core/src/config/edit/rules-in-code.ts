import type * as t from "@babel/types";
import { CannotEdit, type RuleEdit } from "../edit-config.ts";
import { type Style, valueInCode } from "./code-style.ts";
import { addElement, type Replacement, withoutElement } from "./replace.ts";
import { bare, type Code, property, spanOf } from "./syntax.ts";

/** Adds a rule to a list of a config that is code, or takes it out. */
export function ruleReplacements(code: Code, { kind, list, rule }: RuleEdit, style: Style): Replacement[] {
  const isNew = kind === "rule";
  const add = (object: t.ObjectExpression, name: string, value: unknown) => {
    if (!isNew) return [];
    const line = (indentation: string) => `${name}: ${valueInCode(value, style, indentation)}`;
    return [addElement(code, object.properties, spanOf(object), line, style)];
  };
  if (hasSpread(code.config)) throw new CannotEdit("it is put together");
  const permissions = property(code.config, "permissions");
  if (permissions === null) return add(code.config, "permissions", { [list]: [rule] });
  const object = bare(permissions.value);
  if (object?.type !== "ObjectExpression" || hasSpread(object))
    throw new CannotEdit("its permissions are put together");
  const found = property(object, list);
  if (found === null) return add(object, list, [rule]);
  const rules = bare(found.value);
  if (rules?.type !== "ArrayExpression") throw new CannotEdit("its rules are no list that stands in it");
  const own = rules.elements.map((element) => (element?.type === "StringLiteral" ? element.value : null));
  if (own.includes(null)) throw new CannotEdit("its rules are put together");
  const element = rules.elements[own.indexOf(rule)] ?? null;
  if (!isNew) return element === null ? [] : [withoutElement(code, element, spanOf(rules))];
  if (element !== null) return [];
  return [addElement(code, rules.elements, spanOf(rules), () => valueInCode(rule, style, ""), style)];
}

function hasSpread({ properties }: t.ObjectExpression): boolean {
  return properties.some(({ type }) => type === "SpreadElement");
}
