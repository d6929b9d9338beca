import { inject, Lifecycle, scoped } from "tsyringe";
import type { CallOutcome, ShownCall, ShownTurn } from "../../adapter/session-history.ts";
import { withNumbers } from "../../base/hidden-text.ts";
import { oneLine } from "../../base/one-line.ts";
import { REDACTOR, type Redactor } from "../../base/redact.ts";
import { shorten } from "../../base/shorten.ts";
import { HOME } from "../../base/tokens.ts";
import { callState, callSummary, foldedOutcome, outcomeOf, type ToolOutcome } from "../../model/call-outcome.ts";
import { withReadableMarks } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import { shownCall, type ToolCall } from "../../model/transcript.ts";
import type { TurnCall, TurnId } from "../../model/turn.ts";
import { STORE, type Store } from "../../store/store.ts";
import { KeptFiles } from "../../tools/files/kept-files.ts";
import { shownSummary } from "../../turn/run-tool.ts";
import { TOOL_POLICY, type ToolPolicy } from "../../turn/tool-policy.ts";

/** The longest summary of a call, and the longest line of what is shown of its outcome at once, in UTF-16 units. */
const LONGEST_SUMMARY = 500;
const LONGEST_LINE = 400;

/** The most of an outcome that is shown whole: lines, and UTF-16 units of each. */
const MOST_LINES = 2_000;
const LONGEST_WHOLE_LINE = 2_000;

/** The calls of turns as people see them, without secrets. Whether somebody may see them is for others to say. */
@scoped(Lifecycle.ContainerScoped)
export class ShownTurns {
  readonly #files: KeptFiles;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(TOOL_POLICY) readonly policy: ToolPolicy,
    @inject(REDACTOR) readonly redact: Redactor,
    @inject(HOME) home: string,
  ) {
    this.#files = new KeptFiles(home);
  }

  async turn(turnId: TurnId): Promise<ShownTurn> {
    const [turn, calls] = await Promise.all([this.store.turns.get(turnId), this.store.turns.calls([turnId])]);
    const isOpen = turn?.state === "running" || turn?.state === "waiting";
    return { turnId, isOpen, calls: await Promise.all(calls.map((call) => this.call(call))) };
  }

  async call({ sessionId, turnId, call, result, output, beganAt, endedAt }: TurnCall): Promise<ShownCall> {
    const state = callState(result, beganAt !== null);
    const whole =
      result === null || state === "not-run" ? null : await this.#outcomeOf({ sessionId, turnId, call, result });
    const growing = output === null ? null : { ...outcomeOf(this.redact(output), null), folded: 0 };
    const outcome = whole === null ? growing : foldedOutcome(whole);
    return {
      ...{ id: call.id, name: call.name, state, beganAt, endedAt },
      summary: await this.#summaryOf(call, sessionId),
      outcome: outcome && withShortLines(outcome, LONGEST_LINE),
    };
  }

  /** All lines of what came of a call, up to the most that are shown. */
  async outcome(turnId: TurnId, callId: string): Promise<CallOutcome | null> {
    const found = (await this.store.turns.calls([turnId])).find(({ call }) => call.id === callId);
    if (found === undefined || found.result === null) return null;
    const { kind, lines } = await this.#outcomeOf({ ...found, result: found.result });
    const folded = Math.max(0, lines.length - MOST_LINES);
    const shown = kind === "diff" ? lines.slice(0, MOST_LINES) : lines.slice(folded);
    return withShortLines({ kind, lines: shown, folded }, LONGEST_WHOLE_LINE);
  }

  async #summaryOf(call: ToolCall, sessionId: SessionId): Promise<string> {
    const session = await this.store.sessions.get(sessionId);
    const summary = session === null ? "" : await shownSummary(call, await this.policy.toolsOf(session));
    const said = callSummary(shownCall(call), summary);
    return shorten(oneLine(this.redact(said)), LONGEST_SUMMARY);
  }

  async #outcomeOf(
    found: Pick<TurnCall, "sessionId" | "turnId" | "call"> & { readonly result: string },
  ): Promise<ToolOutcome> {
    const { sessionId, turnId, call, result } = found;
    const diff = await this.#files.diffOf(sessionId, turnId, call.id);
    return outcomeOf(this.redact(diff ?? withReadableMarks(result)), diff === null ? null : this.redact(diff));
  }
}

function withShortLines({ kind, lines, folded }: CallOutcome, longest: number): CallOutcome {
  return { kind, folded, lines: lines.map((line) => shorten(withNumbers(line), longest)) };
}
