import { HermesError, reasonOf } from "../base/errors.ts";
import { nearMiss } from "../base/near-miss.ts";
import { isSecretName } from "../base/redact.ts";
import { keyPath, valueAt } from "./key-path.ts";

/** What a schema has against a value. The fields beside `message` and `path` are those of zod, where it is zod. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
  readonly code?: string;
  readonly expected?: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly errors?: readonly (readonly Issue[])[];
}

export interface Checked {
  readonly file: string;
  /** What the issues' paths begin from. */
  readonly value: unknown;
  /** Where `value` stands in the config. */
  readonly at: readonly unknown[];
  /** The keys there could be, for one that is unknown: of the object at `path`, as far as they are known. */
  readonly keysAt: (path: readonly unknown[]) => readonly string[];
  /** Whether the key takes its value from an unset variable, which is already reported. */
  readonly isUnset: (key: string) => boolean;
}

/** The issues as sentences that name the key, what was found there, and what is wanted. */
export function problemsFrom(issues: readonly Issue[], checked: Checked): HermesError[] {
  return issues.flatMap((issue) => problemsOf(issue, checked));
}

export function unknownKey(key: string, parent: readonly unknown[], { file, at, keysAt }: Checked): HermesError {
  const known = keysAt(parent);
  const meant = nearMiss(key, known);
  const wanted = meant !== null ? `\`${meant}\`` : known.length > 0 ? `one of ${known.join(", ")}` : "no such key";
  return invalid(file, [...at, ...parent, key], "an unknown key", wanted);
}

export function invalid(file: string, path: readonly unknown[], found: string, wanted: string): HermesError {
  return new HermesError("CONFIG_INVALID", { file, key: keyPath(path), found, wanted });
}

/** A value for people: what kind it is, and where it is short and no secret, the value itself. */
export function describeValue(value: unknown, path: readonly unknown[]): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "function") return "a function";
  const kind = typeof value === "string" && value === "" ? "an empty string" : `a ${typeof value}`;
  if (value === "" || path.some((step) => isSecretName(String(step)))) return kind;
  const shown = JSON.stringify(value) ?? String(value);
  return shown.length <= 40 ? shown : kind;
}

function problemsOf(issue: Issue, checked: Checked): HermesError[] {
  const path = (issue.path ?? []).map(stepOf);
  if (issue.code === "unrecognized_keys") return (issue.keys ?? []).map((key) => unknownKey(key, path, checked));
  const branch = issue.code === "invalid_union" ? branchMeant(issue) : undefined;
  if (branch)
    return problemsFrom(
      branch.map((inner) => ({ ...inner, path: [...path, ...(inner.path ?? [])] })),
      checked,
    );

  const { file, at } = checked;
  const whole = [...at, ...path];
  const value = valueAt(checked.value, path);
  // Written down, and yet there is no value: it was to come from the environment.
  const isWritten = value === undefined && String(path.at(-1)) in Object(valueAt(checked.value, path.slice(0, -1)));
  if (isWritten && checked.isUnset(keyPath(whole))) return [];
  const found = isWritten ? "undefined (from a variable that is not set?)" : describeValue(value, whole);
  const wanted = wantedBy(issue);
  if (wanted !== null) return [invalid(file, whole, found, wanted)];
  // A rule of the schema's own, in words of its author.
  const reason = reasonOf(issue.message);
  return [new HermesError("CONFIG_REFUSED", { file, key: keyPath(whole), found, reason })];
}

/** Of the ways a value could have been right, the one that it was meant to be: the value has its kind. */
function branchMeant(issue: Issue): readonly Issue[] | undefined {
  return issue.errors?.find((branch) => branch.every((inner) => (inner.path ?? []).length > 0));
}

/** The kind of value that is wanted, where the issue says it in fields. */
function wantedBy(issue: Issue): string | null {
  if (issue.code === "invalid_type" && issue.expected) return withArticle(issue.expected);
  if (issue.code === "invalid_value" && issue.values)
    return issue.values.map((one) => JSON.stringify(one)).join(" or ");
  if (issue.code === "invalid_union" && issue.errors) {
    const kinds = issue.errors.flatMap((branch) => branch.map(wantedBy)).filter((kind) => kind !== null);
    return kinds.length > 0 ? [...new Set(kinds)].join(" or ") : null;
  }
  return null;
}

function withArticle(kind: string): string {
  const name = kind === "array" ? "list" : kind === "int" ? "whole number" : kind;
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`;
}

/** Other schemas write a step of a path as an object with its key. */
function stepOf(step: unknown): unknown {
  return typeof step === "object" && step !== null && "key" in step ? step.key : step;
}
