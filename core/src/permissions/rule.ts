import { type CommandPattern, commandPattern } from "./shell/command-pattern.ts";

/** What a config says of permissions: rules as they are written. `deny` beats `ask`, and `ask` beats `allow`. */
export interface PermissionRules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** A rule that was read: a tool, and what of it is meant. */
export interface Rule {
  /** As it is written: `shell(npm test)`. */
  readonly text: string;
  readonly tool: string;
  /** Null where every call of the tool is meant. */
  readonly pattern: string | null;
  /** The words of a command, for a rule of the shell. */
  readonly command: CommandPattern | null;
}

export type RuleKind = keyof PermissionRules;

/** A rule, and the file in which it stands; null for a config that has none. */
export interface PlacedRule {
  readonly kind: RuleKind;
  readonly rule: string;
  readonly from: string | null;
}

export const RULE_KINDS: readonly RuleKind[] = ["deny", "ask", "allow"];

export const NO_RULES: PermissionRules = { allow: [], ask: [], deny: [] };

/** The tool whose subjects are the commands of a line of bash. */
export const SHELL = "shell";

/** Tools that a rule of another tool is for, too: who must not write a file must not edit it either. */
const COVERED: Readonly<Record<string, readonly string[]>> = { write: ["edit"], read: ["list", "search", "send_file"] };

/** Whether a rule for `ruled` is one for `tool`. */
export function isForTool(ruled: string, tool: string): boolean {
  return ruled === tool || (COVERED[ruled]?.includes(tool) ?? false);
}

/** The rules of one kind, read. A rule that cannot be read, which a config never holds, is an error. */
export function readRules(texts: readonly string[]): readonly Rule[] {
  return texts.map((text) => {
    const { rule, problem } = readRule(text);
    if (rule === null) throw new TypeError(`${text}: ${problem}`);
    return rule;
  });
}

export type ReadRule =
  | { readonly rule: Rule; readonly problem: null }
  | { readonly rule: null; readonly problem: string };

const SHAPE = "a rule is a tool, such as read, or a tool and a pattern, such as shell(npm test)";

/** Reads `<tool>` or `<tool>(<pattern>)`; otherwise says on one line what is wrong with it. */
export function readRule(text: string): ReadRule {
  const failed = (problem: string): ReadRule => ({ rule: null, problem });
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) return failed("it has a hidden character in it");
  const [, tool, pattern = null] = /^([A-Za-z][\w.-]*)(?:\((.*)\))?$/.exec(text) ?? [];
  if (tool === undefined) return failed(SHAPE);
  if (pattern === null) return { rule: { text, tool, pattern, command: null }, problem: null };
  if (pattern.trim() === "") return failed(`its pattern is empty; without brackets, ${tool} means every call`);
  if (pattern !== pattern.trim()) return failed("its pattern begins or ends with a space");
  if (tool !== SHELL) {
    const isClimbing = pattern.split("/").includes("..");
    if (isClimbing) return failed("a path in a rule has no .. in it; write it from / or ~/");
    return { rule: { text, tool, pattern, command: null }, problem: null };
  }
  const { command, problem } = commandPattern(pattern);
  return command === null ? failed(problem) : { rule: { text, tool, pattern, command }, problem: null };
}
