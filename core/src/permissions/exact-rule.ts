import { withNumbers } from "../base/hidden-text.ts";
import type { Redactor } from "../base/redact.ts";
import { type Rule, readRule, SHELL } from "./rule.ts";

/** Reads a rule that means one thing alone, with no star in it; null where it is none, or could not be shown as it is. */
export function readExactRule(text: string): Rule | null {
  const { rule } = readRule(text);
  if (rule === null || !text.isWellFormed() || withNumbers(text) !== text) return null;
  const { tool, pattern, command } = rule;
  if (tool === SHELL) {
    return command !== null && !command.isOpen && command.words.every((word) => typeof word === "string") ? rule : null;
  }
  return pattern === null || !/[*?]/.test(pattern) ? rule : null;
}

/**
 * Checks the rule that would allow what a person is asked about: null unless the config can hold it, it covers just that,
 * and the store, which `redact` stands for, keeps it as it is.
 */
export function exactRule(text: string, redact: Redactor, covers: (rule: Rule) => boolean): string | null {
  const rule = readExactRule(text);
  return rule !== null && redact(text) === text && covers(rule) ? text : null;
}
