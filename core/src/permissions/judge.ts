import { relative, sep } from "node:path";
import { type Redactor, withoutLookalikes } from "../base/redact.ts";
import { exactRule } from "./exact-rule.ts";
import { absolutePath, hasOtherNames, isControlFile, isSecretFile, isWithin, realTarget } from "./files.ts";
import { pathPattern, textPattern } from "./pattern.ts";
import { isForTool, type PermissionRules, RULE_KINDS, type Rule, type RuleKind, readRules, SHELL } from "./rule.ts";
import { commandAsked, isCommandMeant, reachOf } from "./shell/judge-command.ts";
import type { Word } from "./shell/read-line.ts";
import { quoted } from "./shell/static-word.ts";
import type { Places } from "./shell/walked-folders.ts";

/** The worst that a call can do. */
export type Effect = "reads" | "writes" | "runs" | "network";

/** How much a session asks: `edits` lets files below its directory be written, `plan` lets nothing but reading happen. */
export type PermissionMode = "default" | "edits" | "plan";

/** What a call is judged by. */
export interface PermissionContext {
  readonly rules: PermissionRules;
  readonly mode: PermissionMode;
  /** The session's working directory; null where it has none. */
  readonly directory: string | null;
  /** Hermes' home. */
  readonly home: string;
  /** The turn runs at a place that others read. */
  readonly shared: boolean;
  /** Whether the author of the turn is an operator there. */
  readonly isOperator: boolean;
  /** Redacts what is stored: no rule is offered that it would change. By default, what looks like a secret. */
  readonly redact?: Redactor;
}

export type Decision = "allow" | "ask" | "deny";

/** What decided: a rule of the config, or why there is none that could. */
export type DecidedBy =
  | { readonly kind: RuleKind; readonly rule: string }
  | { readonly kind: "reason"; readonly reason: string };

/** In UTF-16 units: a longer rule is not said in the reason of a question, beside which it stands anyway. */
const LONGEST_ADVICE = 200;

/** One thing that a call does. */
export type Subject =
  | { readonly kind: "path"; readonly tool: string; readonly effect: "reads" | "writes"; readonly path: string }
  | { readonly kind: "command"; readonly words: readonly Word[] }
  /** `text` is null where the call says nothing of itself. */
  | { readonly kind: "text"; readonly tool: string; readonly effect: Effect; readonly text: string | null };

export interface SubjectVerdict {
  readonly decision: Decision;
  readonly by: DecidedBy;
  /** The subject for people. */
  readonly text: string;
  /** The rule that would allow it, for a person to add; null where none would. */
  readonly rule: string | null;
}

/** Judges subjects one by one by the rules, the mode and the defaults. */
export class Judge {
  readonly #context: PermissionContext;
  readonly #rules: Readonly<Record<RuleKind, readonly Rule[]>>;
  readonly #directory: string | null;
  readonly #home: string;
  /** Where the words of a command begin, behind a `cd`. */
  readonly #folder: string;
  readonly #places: Places;

  constructor(context: PermissionContext, folder: string | null = null) {
    const { rules, directory, home } = context;
    this.#context = context;
    this.#rules = { allow: readRules(rules.allow), ask: readRules(rules.ask), deny: readRules(rules.deny) };
    this.#directory = directory === null ? null : realTarget(directory);
    this.#home = realTarget(home);
    this.#folder = folder ?? this.#directory ?? "/";
    this.#places = { directory: this.#directory, folder: this.#folder, home: this.#home };
  }

  judge(subject: Subject): SubjectVerdict {
    const text = this.#textOf(subject);
    const verdict = (decision: Decision, by: DecidedBy, rule: string | null = null) => ({ decision, by, text, rule });
    const because = (decision: Decision, reason: string, rule: string | null = null) =>
      verdict(decision, { kind: "reason", reason }, rule);
    for (const kind of RULE_KINDS) {
      // What is asked past every allow rule.
      const always = kind === "allow" ? this.#alwaysAsked(subject) : null;
      if (always !== null) return because("ask", always);
      const found = this.#rules[kind].find((rule) => this.#isMeant(rule, subject, kind));
      if (found !== undefined) return verdict(kind, { kind, rule: found.text });
    }
    const reason = this.#askedByDefault(subject);
    if (reason === null) return because("allow", "reading and writing there is allowed");
    const rule = this.#ruleFor(subject);
    return because("ask", this.#nearlyAllowed(subject, rule) ?? reason, rule);
  }

  #isMeant(rule: Rule, subject: Subject, kind: RuleKind): boolean {
    if (subject.kind === "command") {
      if (rule.tool !== SHELL) return false;
      return kind === "allow"
        ? reachOf(rule.command, subject.words, this.#places).is === "whole"
        : isCommandMeant(rule.command, subject.words);
    }
    if (!isForTool(rule.tool, subject.tool)) return false;
    if (rule.pattern === null) return true;
    if (subject.kind === "text") return textPattern(rule.pattern).test(subject.text ?? "");
    const { pattern } = rule;
    const real = this.#real(subject.path);
    // A link must not lead out of what is allowed, and be no way around what is denied.
    const paths = kind === "allow" ? [real] : [real, absolutePath(subject.path, this.#folder)];
    return paths.some((path) => this.#isPathMeant(pattern, path));
  }

  #isPathMeant(pattern: string, path: string): boolean {
    if (/^[~/]/.test(pattern)) return pathPattern(absolutePath(pattern, "/")).test(path);
    if (this.#directory === null || !isWithin(this.#directory, path)) return false;
    return pathPattern(pattern.replace(/^(?:\.\/)+/, "")).test(relative(this.#directory, path).split(sep).join("/"));
  }

  #alwaysAsked(subject: Subject): string | null {
    if (subject.kind === "command") {
      return commandAsked(subject.words, this.#places);
    }
    if (subject.kind !== "path") return null;
    const path = this.#real(subject.path);
    if (hasOtherNames(path)) return "it has other names (hard links), and may be a file that no rule lets out";
    if (subject.effect === "reads") return null;
    const isNamed = [path, absolutePath(subject.path, this.#folder)].some((one) =>
      isControlFile(one, this.#directory ?? "/"),
    );
    if (isNamed) return "it says what may run or who has which rights";
    return isWithin(this.#home, path) ? "it is in Hermes' home" : null;
  }

  /** Names the rule that would mean a command if its star stood for more. `exact`: the rule that would allow it. */
  #nearlyAllowed(subject: Subject, exact: string | null): string | null {
    if (subject.kind !== "command") return null;
    for (const rule of this.#rules.allow) {
      const reach = rule.tool === SHELL ? reachOf(rule.command, subject.words, this.#places) : null;
      if (reach?.is !== "short") continue;
      const isShown = exact !== null && exact.length <= LONGEST_ADVICE;
      const advice = isShown
        ? `a rule that says all of it would: \`${exact}\``
        : "only a rule that says all of it would";
      return `the rule \`${rule.text}\` does not reach so far: ${reach.why}; ${advice}`;
    }
    return null;
  }

  #askedByDefault(subject: Subject): string | null {
    if (subject.kind === "command") return "no rule allows it";
    if (subject.kind === "text") return subject.effect === "reads" ? null : "no rule allows it";
    const path = this.#real(subject.path);
    if (this.#directory === null) return "the session has no directory";
    if (isWithin(this.#home, path)) return "it is in Hermes' home";
    if (!isWithin(this.#directory, path)) return `it is not below ${this.#directory}`;
    if (isSecretFile(path, this.#directory)) return "it may hold keys or passwords";
    return subject.effect === "reads" || this.#context.mode === "edits" ? null : "no rule allows it";
  }

  #real(path: string): string {
    return realTarget(absolutePath(path, this.#folder));
  }

  #textOf(subject: Subject): string {
    if (subject.kind === "command") return quoted(subject.words);
    return (subject.kind === "text" ? subject.text : subject.path) ?? "";
  }

  #ruleFor(subject: Subject): string | null {
    const { redact = withoutLookalikes } = this.#context;
    return exactRule(this.#ruleTextFor(subject), redact, (rule) => this.#isMeant(rule, subject, "allow"));
  }

  #ruleTextFor(subject: Subject): string {
    if (subject.kind === "command") return `${SHELL}(${quoted(subject.words)})`;
    if (subject.kind === "text") return subject.text === null ? subject.tool : `${subject.tool}(${subject.text})`;
    const path = this.#real(subject.path);
    const isBelow = this.#directory !== null && path !== this.#directory && isWithin(this.#directory, path);
    return `${subject.tool}(${isBelow ? relative(this.#directory ?? "/", path) : path})`;
  }
}
