import type { Tool, ToolContext } from "../agent/agent.ts";
import type { Decider, NewApproval } from "../model/approval.ts";
import type { Session } from "../model/session.ts";
import { TOOL_INTERRUPTED, type ToolCall } from "../model/transcript.ts";
import type { BegunCall, CallProcess, Turn, TurnAuthor } from "../model/turn.ts";
import { userOf } from "../store/current-rights.ts";
import type { Store } from "../store/store.ts";
import { type CallPlan, planCall } from "./plan-call.ts";
import { askAbout } from "./question.ts";
import { runTool, shownSummary, type ToolEnded } from "./run-tool.ts";
import type { ToolPolicy } from "./tool-policy.ts";

/** A call runs next. */
export interface ToolBegins {
  readonly type: "tool-call";
  readonly call: ToolCall;
  /** What it does, on one line. */
  readonly summary: string;
}

/** How far the calls of a step came. */
export type StepEnd =
  | { readonly kind: "done" }
  /** A person is to be asked; nothing else of the step runs before that. */
  | { readonly kind: "asks"; readonly approvals: readonly NewApproval[] }
  /** A handoff wants the turn. */
  | { readonly kind: "leaves" };

export interface StepPlace {
  readonly store: Store;
  readonly policy: ToolPolicy;
  readonly host: string;
  readonly session: Session;
  readonly turn: Turn;
  readonly tools: readonly Tool[];
  readonly signal: AbortSignal;
  /** The message that the turn answers, for people. */
  readonly request: string;
  /** Whether the turn is to be left before its next call. */
  isWanted(): boolean;
  /** Records that a call is about to run. False when it may not. */
  begin(call: BegunCall): Promise<boolean>;
  /** Keeps a process that a call has started. */
  noteProcess(call: ToolCall, process: CallProcess): Promise<void>;
  report(call: ToolCall, text: string): void;
}

/** Runs the calls of one step that have no result, as far as they may run without a person. */
export class StepCalls {
  readonly #place: StepPlace;

  constructor(place: StepPlace) {
    this.#place = place;
  }

  /**
   * Judges all calls first. Those that only read and may run, in front of the first one to be asked about, run; then the
   * others are asked about, and nothing else begins. With none to be asked about, all run in order, each judged again.
   */
  async *run(calls: readonly ToolCall[]): AsyncGenerator<ToolBegins | ToolEnded, StepEnd> {
    const { isWanted } = this.#place;
    const plans = await this.#planAll(calls);
    const firstAsked = plans.findIndex((plan) => plan.do === "ask");
    const inFront = firstAsked === -1 ? plans : plans.slice(0, firstAsked).filter(isReading);
    for (const { call } of inFront) {
      if (isWanted()) return { kind: "leaves" };
      const plan = await this.#plan(call);
      if (plan.do === "ask") return { kind: "asks", approvals: [await this.#approvalOf(plan)] };
      yield* this.#carryOut(plan);
    }
    if (firstAsked === -1) return { kind: "done" };
    if (isWanted()) return { kind: "leaves" };
    const asked = plans.flatMap((plan) => (plan.do === "ask" ? [this.#approvalOf(plan)] : []));
    return { kind: "asks", approvals: await Promise.all(asked) };
  }

  async *#carryOut(plan: Exclude<CallPlan, { do: "ask" }>): AsyncGenerator<ToolBegins | ToolEnded, void> {
    const { begin } = this.#place;
    const { call } = plan;
    if (plan.do === "end") {
      yield { type: "tool-result", call, text: plan.text, isError: plan.isError };
      return;
    }
    const { tool, input } = plan;
    yield { type: "tool-call", call, summary: await shownSummary(call, this.#place.tools) };
    if (await begin({ id: call.id, repeats: tool.effect === "reads" })) {
      yield await runTool(call, tool, input, await this.#whereOf(call));
    } else {
      yield { type: "tool-result", call, text: TOOL_INTERRUPTED, isError: true };
    }
  }

  async #planAll(calls: readonly ToolCall[]): Promise<CallPlan[]> {
    const request = await this.#request();
    const plans: CallPlan[] = [];
    for (const call of calls) plans.push(await planCall(call, { ...request, where: await this.#whereOf(call) }));
    return plans;
  }

  async #plan(call: ToolCall): Promise<CallPlan> {
    return planCall(call, { ...(await this.#request()), where: await this.#whereOf(call) });
  }

  async #request() {
    const { store, policy, session, turn, tools, signal } = this.#place;
    signal.throwIfAborted();
    const [refusal, context, approvals, allowed] = await Promise.all([
      policy.refusalOf(session, turn),
      policy.contextOf(session, turn),
      store.approvals.ofTurn(turn.id),
      store.approvals.allowedInSession(session.id),
    ]);
    // What one person allowed for a session is not another's, and not what others read.
    const ofAuthor = context.shared ? [] : await this.#givenBy(turn.author, allowed);
    // In the turn that was asked about it holds whoever gave it, such as its person on a platform.
    const ofTurn = approvals.filter(({ decision }) => !context.shared && decision?.kind === "session");
    const sessionRules = [...ofAuthor, ...ofTurn].flatMap(({ rules }) => rules);
    return { tools, refusal, context, approvals, sessionRules };
  }

  /** What was allowed for the session by the person who wrote the message that the turn answers. */
  async #givenBy<Allowed extends { readonly by: Decider }>(author: TurnAuthor | null, allowed: readonly Allowed[]) {
    if (author === null || allowed.length === 0) return [];
    const { store } = this.#place;
    const user = await userOf(store, author);
    const users = await Promise.all(allowed.map(({ by }) => userOf(store, by.author)));
    return allowed.filter((_, at) => users[at] === user);
  }

  async #whereOf(call: ToolCall): Promise<ToolContext> {
    const { policy, session, turn, signal, report, noteProcess } = this.#place;
    return {
      ...{ session, directory: policy.directoryOf(session), signal, turnId: turn.id, callId: call.id },
      visible: await policy.visibilityOf(turn),
      report: (text) => report(call, text),
      noteProcess: (process) => noteProcess(call, process),
    };
  }

  async #approvalOf({ call, question }: Extract<CallPlan, { do: "ask" }>): Promise<NewApproval> {
    const { host, session, request, policy, turn } = this.#place;
    const detail = await question.tool.detail?.(question.input, await this.#whereOf(call));
    const { shared, directory } = await policy.contextOf(session, turn);
    const { author } = turn;
    const about = { host, directory, request, author, isShared: shared, detail: detail ?? "" };
    return askAbout(call, question, { ...about, ttlMs: policy.answerWithinMs });
  }
}

function isReading(plan: CallPlan): boolean {
  return plan.do === "run" && plan.tool.effect === "reads";
}
