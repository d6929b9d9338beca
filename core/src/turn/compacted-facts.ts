import { oneLine } from "../base/one-line.ts";
import { shorten } from "../base/shorten.ts";
import { matchResults } from "../model/call-results.ts";
import { type CompactedFacts, NO_FACTS } from "../model/compaction.ts";
import { ownWords } from "../model/mark.ts";
import { filesWrittenIn, shortRequest } from "../model/session-state.ts";
import { hasTodoList, todoListOf } from "../model/todo-list.ts";
import { estimateTokens } from "../model/tokens.ts";
import { isRefused, shownCall, type ToolCall, type TranscriptMessage } from "../model/transcript.ts";
import type { TurnId } from "../model/turn.ts";
import type { KeptState } from "../model/work-state.ts";
import { DENIED } from "../permissions/judge-call.ts";

/** UTF-16 units of the input of a call that was refused, of why, and of what was said instead. */
const DENIAL_LIMIT = 300;

/**
 * The share of the window for refusals that are kept whole, the newest; and for older ones, of which the beginning is
 * kept.
 */
const OF_WINDOW = { whole: 0.05, begun: 0.15 } as const;

/** UTF-16 units of the beginning of an older one: what was to be done. */
const BEGINNING = 60;

/** The most files that are kept. */
const MOST_FILES = 40;

export interface FactsSources {
  /** What is compacted now. */
  readonly rows: readonly TranscriptMessage[];
  /** The facts of the compaction before. */
  readonly before: CompactedFacts | null;
  /** The requests of the compaction before that are still the running turn's. */
  readonly requests: readonly TranscriptMessage[];
  /** Tokens that the model reads at most. */
  readonly window: number;
  /** The turn that runs; null where it answers nobody. */
  readonly turnId: TurnId | null;
  /** Where the work stands, as a model says now. */
  readonly work: KeptState | null;
  /** The same, as one said before. */
  readonly workBefore: KeptState | null;
}

/** Carries what was known on, with what the messages that are compacted now add to it. */
export function compactedFacts(sources: FactsSources): CompactedFacts {
  const { rows, before: given, work, workBefore, window } = sources;
  const before = given ?? NO_FACTS;
  const said = rows.filter(({ role, internal }) => role !== "tool" && internal !== true);
  const first = said.find(({ role, text }) => role === "user" && text.trim() !== "");
  return {
    requests: requestsIn(sources),
    todo: hasTodoList(rows) ? todoListOf(rows) : before.todo,
    // What no model has said to be answered stays open.
    openQuestions: work?.openQuestions ?? [...new Set([...before.openQuestions, ...(workBefore?.openQuestions ?? [])])],
    denials: fittedDenials([...new Set([...before.denials, ...denialsIn(rows)])], window),
    firstRequest: before.firstRequest ?? shortRequest(first?.text),
    files: [...new Set([...filesWrittenIn(rows), ...before.files])].slice(0, MOST_FILES),
    said: before.said + said.length,
    calls: before.calls + rows.reduce((sum, { toolCalls = [] }) => sum + toolCalls.length, 0),
  };
}

function requestsIn({ rows, requests, turnId }: FactsSources): number[] {
  if (turnId === null) return [];
  const isOfTurn = (row: TranscriptMessage) => row.turnId === turnId && row.role === "user" && row.internal !== true;
  return [...requests, ...rows].filter(isOfTurn).map(({ seq }) => seq);
}

function denialsIn(rows: readonly TranscriptMessage[]): string[] {
  const results = matchResults(rows);
  return rows.flatMap((row, place) =>
    (row.toolCalls ?? []).flatMap((call, at) => {
      const text = results.get(row)?.[at]?.text;
      const isDenial = text !== undefined && (isRefused(text) || text.startsWith(DENIED));
      return isDenial ? [denialOf(call, text, saidInstead(rows, place))] : [];
    }),
  );
}

/**
 * Keeps no more than leaves a session room to go on: the newest whole, the beginnings of older ones, and not the
 * oldest.
 */
function fittedDenials(denials: readonly string[], window: number): string[] {
  const kept: string[] = [];
  const left = { whole: window * OF_WINDOW.whole, begun: window * OF_WINDOW.begun };
  for (const denial of denials.toReversed()) {
    left.whole -= estimateTokens(denial);
    const text = left.whole >= 0 || kept.length === 0 ? denial : shorten(denial, BEGINNING);
    if (left.whole < 0) left.begun -= estimateTokens(text);
    if (left.begun < 0) break;
    kept.push(text);
  }
  return kept.reverse();
}

/** What a person wrote instead of an answer, by which the calls of the message at `place` were refused. */
function saidInstead(rows: readonly TranscriptMessage[], place: number): string {
  const { turnId } = rows[place] ?? {};
  const next = rows.findIndex(({ role }, at) => at > place && role === "assistant");
  const behind = rows.slice(place + 1, next < 0 ? undefined : next);
  const said = behind.filter((row) => row.role === "user" && row.internal !== true && row.turnId === turnId);
  return said.map(({ text }) => oneLine(ownWords(text))).join(" ");
}

function denialOf(call: ToolCall, why: string, said: string): string {
  const { name, input } = shownCall(call);
  const refused = shorten(why.replaceAll(/[⟦⟧]/g, ""), DENIAL_LIMIT);
  const words = said === "" ? "" : `; said: ${shorten(said, DENIAL_LIMIT)}`;
  return `${name} ${shorten(JSON.stringify(input) ?? "", DENIAL_LIMIT)}: ${refused}${words}`;
}
