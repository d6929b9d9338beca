/** A line that a search found. */
export interface Match {
  /** The path from the session's directory, with slashes. */
  readonly way: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A file that may be searched. */
export interface Candidate {
  readonly way: string;
  readonly size: number;
}

export interface Query {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** How many matches are wanted; searching stops soon after. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * Whether a JavaScript pattern means the same to ripgrep: literals, dots, simple classes, groups, repetitions and
 * alternatives. The others (look-around, back references, escapes such as `\b`) differ, and are searched in JavaScript.
 */
export function isSharedSyntax(pattern: string): boolean {
  const CLASS = String.raw`\[\^?(?:[A-Za-z0-9_ .,:;/@%+*?(){}|$#"'<>=!-]|\\[.*+?()[\]{}|^$/\\-])+\]`;
  const ESCAPED = String.raw`\\[.*+?()[\]{}|^$\\]`;
  const PLAIN = String.raw`[^\\[\](){}*+?]`;
  const REPEATED = String.raw`(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??`;
  const shared = new RegExp(
    `^(?:(?:${CLASS}|${ESCAPED}|${PLAIN})(?:${REPEATED})?|\\((?:\\?:)?|\\)(?:${REPEATED})?)*$`,
    "u",
  );
  // Two of these in a class make a set operation of ripgrep's.
  return pattern.length <= 500 && !/&&|--|~~/.test(pattern) && shared.test(pattern);
}
