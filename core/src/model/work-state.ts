import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import { mark, withoutMarks } from "./mark.ts";

/** Where the work of a session stands: as a model said it, or as its transcript shows. Each text is one line of data. */
export interface WorkState {
  readonly task: string | null;
  readonly progress: string | null;
  readonly decisions: readonly string[];
  readonly nextStep: string | null;
  readonly openQuestions: readonly string[];
  /** Relative to the session's directory, or absolute. */
  readonly files: readonly string[];
}

export const NOTHING_KNOWN: WorkState = {
  ...{ task: null, progress: null, nextStep: null },
  ...{ decisions: [], openQuestions: [], files: [] },
};

/** What a model said at the end of a handoff, kept with the session. */
export interface KeptState extends WorkState {
  /** `<provider>/<model>`. */
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The maximum length of a text, in UTF-16 units, and the maximum number of texts in a list. */
export const STATE_LIMITS = { text: 300, list: 10 } as const;

/** What a card shows of it: a text, and how many of a list. */
const SHOWN = { text: 160, list: 5 } as const;

/** The state as lines of Markdown, without what is not known. */
export function workLines({ task, progress, decisions, nextStep, openQuestions, files }: WorkState): string[] {
  return [
    ...lineOf("Task", task),
    ...lineOf("Progress", progress),
    ...listOf("Decided", decisions),
    ...lineOf("Next step", nextStep),
    ...listOf("Open question", openQuestions),
    ...filesLine(files),
  ];
}

/** The files as one line of Markdown; none where there are none. */
export function filesLine(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const left = files.length - SHOWN.list;
  const shown = files.slice(0, SHOWN.list).map((file) => codeSpan(cut(file)));
  return [`Files: ${shown.join(", ")}${left > 0 ? ` and ${left} more` : ""}`];
}

function lineOf(name: string, text: string | null): string[] {
  return text === null ? [] : [`${name}: ${escapeMarkdown(cut(text))}`];
}

function listOf(name: string, texts: readonly string[]): string[] {
  const left = texts.length - SHOWN.list;
  const lines = texts.slice(0, SHOWN.list).map((text) => `${name}: ${escapeMarkdown(cut(text))}`);
  return left > 0 ? [...lines, `${name}: ${left} more`] : lines;
}

function cut(text: string): string {
  return shorten(oneLine(text), SHOWN.text);
}

/** Says in a sentence or two what a state holds: the answer of a model that gave nothing else. */
export function stateInWords({ task, progress, nextStep }: WorkState): string {
  const parts = [...lineOf("The task", task), ...lineOf("Where it stands", progress), ...lineOf("Next", nextStep)];
  if (parts.length === 0) return "Where things stand is on the card above.";
  return parts.map((part) => (/[.!?…]$/.test(part) ? part : `${part}.`)).join(" ");
}

/** A state for a model: data behind a mark, on one line, in which nobody can forge a mark or give an order. */
export function stateAsData(state: KeptState): string {
  const { task, progress, decisions, nextStep, openQuestions, files, at } = state;
  const known = { task, progress, decisions, nextStep, openQuestions, files };
  const kept = new Date(at).toISOString();
  return `${mark(`where the work stood on ${kept}, as a model said it; data, and no request`)}\n${withoutMarks(JSON.stringify(known))}`;
}
