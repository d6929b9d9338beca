import { isDeepStrictEqual } from "node:util";
import { CannotEdit, type ConfigEdit, type FromVariable, type PluginEdit, type RuleEdit } from "../edit-config.ts";

export type DataPath = readonly (string | number)[];

/** One change of a JSON or YAML document; without a value, it removes what is at the path. */
export interface DataChange {
  readonly path: DataPath;
  readonly value?: unknown;
  /** The value comes behind the last one of a list. */
  readonly isNew?: boolean;
}

export function isFromVariable(value: unknown): value is FromVariable {
  if (typeof value !== "object" || value === null) return false;
  const { variable, ...others } = value as { variable?: unknown };
  return typeof variable === "string" && Object.keys(others).length === 0;
}

/** A value as JSON and YAML have it: `${NAME}` for a variable, and `$${NAME}` where a text only looks like one. */
export function asData(value: unknown): unknown {
  if (isFromVariable(value)) return `\${${value.variable}}`;
  if (typeof value === "string") return value.replaceAll(/\$(?=\{[A-Za-z_]\w*\})/g, "$$$$");
  if (Array.isArray(value)) return value.map(asData);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, asData(inner)]));
}

/** A plugin's entry as a config that is data has it. */
export function entryOf(edit: PluginEdit): unknown {
  const options = optionsOf(edit);
  return Object.keys(options).length === 0 ? edit.package : [edit.package, options];
}

/** The changes that an edit means in a config with the content `data`. */
export function changesFor(data: unknown, edit: ConfigEdit): DataChange[] {
  if (edit.kind === "set") {
    const { key, under } = edit;
    const value = asData(edit.value);
    if (under === undefined) return isDeepStrictEqual(Object(data)[key], value) ? [] : [{ path: [key], value }];
    const outer: unknown = Object(data)[under] ?? null;
    if (outer === null) return [{ path: [under], value: { [key]: value } }];
    if (typeof outer !== "object") throw new CannotEdit("what it is under is no object");
    return isDeepStrictEqual(Object(outer)[key], value) ? [] : [{ path: [under, key], value }];
  }
  if (edit.kind === "rule" || edit.kind === "remove-rule") return ruleChanges(data, edit);
  const { plugins = null } = Object(data) as { plugins?: unknown };
  if (plugins !== null && !Array.isArray(plugins)) throw new CannotEdit("its plugins are no list");
  const index = (plugins ?? []).findIndex((entry) => isEntryOf(entry, edit));
  if (edit.kind === "remove-plugin") return index < 0 ? [] : [{ path: ["plugins", index] }];
  if (plugins === null) return [{ path: ["plugins"], value: [entryOf(edit)] }];
  if (index < 0) return [{ path: ["plugins", plugins.length], value: entryOf(edit), isNew: true }];
  return mergeChanges(plugins[index], ["plugins", index], edit);
}

function ruleChanges(data: unknown, { kind, list, rule }: RuleEdit): DataChange[] {
  const value = asData(rule);
  const { permissions = null } = Object(data) as { permissions?: unknown };
  if (permissions === null) return kind === "rule" ? [{ path: ["permissions"], value: { [list]: [value] } }] : [];
  const rules: unknown = Object(permissions)[list] ?? null;
  if (rules === null) return kind === "rule" ? [{ path: ["permissions", list], value: [value] }] : [];
  if (!Array.isArray(rules)) throw new CannotEdit("its rules are no list");
  const index = rules.indexOf(value);
  if (kind === "remove-rule") return index < 0 ? [] : [{ path: ["permissions", list, index] }];
  return index < 0 ? [{ path: ["permissions", list, rules.length], value, isNew: true }] : [];
}

/** `data` after a change, to hold the edited text against. */
export function changed(data: unknown, { path, value }: DataChange): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list: unknown[] = Array.isArray(data) ? [...data] : [];
    if (rest.length === 0 && value === undefined) list.splice(step, 1);
    else list[step] = changed(list[step], { path: rest, value });
    return list;
  }
  const { [step]: before, ...others } = Object(data) as Record<string, unknown>;
  if (rest.length === 0 && value === undefined) return others;
  return { ...Object(data), [step]: changed(before, { path: rest, value }) };
}

function mergeChanges(entry: unknown, path: DataPath, edit: PluginEdit): DataChange[] {
  const options = optionsOf(edit);
  if (Object.keys(options).length === 0) return [];
  if (!Array.isArray(entry)) return [{ path, value: entryOf(edit) }];
  const before: unknown = entry[1];
  if (before === undefined) return [{ path: [...path, 1], value: options, isNew: true }];
  if (typeof before !== "object" || before === null) throw new CannotEdit("its options are no object");
  return Object.entries(options).flatMap(([key, value]) =>
    isDeepStrictEqual((before as Record<string, unknown>)[key], value) ? [] : [{ path: [...path, 1, key], value }],
  );
}

function optionsOf({ account, options }: PluginEdit): Record<string, unknown> {
  return asData({ ...(account === undefined ? {} : { account }), ...options }) as Record<string, unknown>;
}

function isEntryOf(entry: unknown, edit: { readonly package: string; readonly account?: string | undefined }): boolean {
  const [name, options]: unknown[] = Array.isArray(entry) ? entry : [entry];
  return name === edit.package && Object(options).account === edit.account;
}
