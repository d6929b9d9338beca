import { inject, Lifecycle, scoped } from "tsyringe";
import { HermesError } from "../../base/errors.ts";
import type { CommandContext } from "../../command/command.ts";
import { decideApproval } from "../../command/decide-approval.ts";
import { handoffInFlight } from "../../handoff/handoff-in-flight.ts";
import { type Approval, type ApprovalDecision, type ApprovalId, AT_THE_TERMINAL } from "../../model/approval.ts";
import { askedText, outcomeText } from "../../model/approval-text.ts";
import { withoutMarks } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import type { Turn, TurnId } from "../../model/turn.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Reply } from "../../terminal/input/prompt.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import { reportError } from "../report-error.ts";
import { CallPerson } from "./call-person.ts";
import { ChatSession } from "./chat-session.ts";
import { ImmediateCommands } from "./immediate-commands.ts";
import { News } from "./news.ts";
import { answerHint, readTypedAnswer } from "./question-answer.ts";
import { questionLines, questionRow } from "./question-view.ts";
import { RunTurn } from "./run-turn.ts";
import { CONTEXT, HOST, PLACE, READER } from "./tokens.ts";
import { TypedAhead } from "./typed-ahead.ts";

/** The turn of the chat's session that waits for people: what it asks is asked here, and then it goes on here. */
@scoped(Lifecycle.ContainerScoped)
export class OpenTurn {
  /** What was asked here, and of which it was not said yet what became of it. */
  readonly #asked = new Set<ApprovalId>();
  /** The turn whose questions were left open. */
  #left: { readonly turnId: TurnId; readonly sessionId: SessionId } | null = null;

  constructor(
    @inject(CONTEXT) readonly context: CliContext,
    @inject(HOST) readonly host: TerminalHost,
    @inject(READER) readonly reader: LineReader,
    @inject(PLACE) readonly place: CommandContext,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(TypedAhead) readonly ahead: TypedAhead,
    @inject(ImmediateCommands) readonly commands: ImmediateCommands,
    @inject(CallPerson) readonly person: CallPerson,
    @inject(News) readonly news: News,
    @inject(RunTurn) readonly run: RunTurn,
  ) {}

  /** Whether `tend` has something to do. */
  async isDue(): Promise<boolean> {
    if (!this.context.io.isInteractive) return false;
    const turn = await this.#turnHere();
    if (this.#left !== null && (turn?.state !== "waiting" || turn.id !== this.#left.turnId)) return true;
    if (turn?.state !== "waiting") return false;
    const open = await this.host.store.approvals.open(turn.sessionId);
    return open.length > 0 ? this.#left === null : this.#left !== null;
  }

  /** Asks what is new to be asked; of a question that was left, says what became of it, and goes on with its turn. */
  async tend(): Promise<void> {
    if (!this.context.io.isInteractive) return;
    const turn = await this.#turnHere();
    const left = this.#left;
    if (left !== null && (turn?.state !== "waiting" || turn.id !== left.turnId)) {
      this.#forget();
      await this.#tell(left.turnId);
    }
    if (turn?.state !== "waiting") return;
    const open = await this.host.store.approvals.open(turn.sessionId);
    // Decided by now, and never asked here: it goes on where it was decided.
    if (open.length > 0 ? this.#left === null : this.#left !== null) await this.settle(turn.id);
  }

  /** Asks the questions of a turn one after the other, and goes on with it when all are answered. */
  async settle(turnId: TurnId): Promise<void> {
    const { store } = this.host;
    this.#forget();
    for (;;) {
      const approvals = await this.#tell(turnId);
      const open = approvals.filter(({ state }) => state === "open");
      const [next] = open;
      if (next === undefined) {
        const turn = await store.turns.get(turnId);
        const parked = turn === null ? null : await this.#goOn(turn, approvals);
        if (parked === null) return;
        continue;
      }
      const together = approvals.filter(({ askedAt }) => askedAt === next.askedAt);
      if (await this.#ask(next, { at: together.indexOf(next) + 1, of: together.length })) continue;
      return this.#leave(next, open.length);
    }
  }

  /** Takes a message as the answer to what was left open: no, and the agent gets the words. False where nothing was. */
  async answerWith(turn: Turn, text: string): Promise<boolean> {
    const [first] = this.#left?.turnId === turn.id ? await this.host.store.approvals.open(turn.sessionId) : [];
    if (first === undefined) return false;
    if (first.kind === "question") await this.#decide(first, { kind: "answer", text });
    else if (!(await this.#denyWith(first, text))) return false;
    await this.settle(turn.id);
    return true;
  }

  #forget(): void {
    this.#left = null;
    this.ahead.letGo();
  }

  async #turnHere(): Promise<Turn | null> {
    const { current } = this.session;
    // Another session's question is asked when that one is opened again.
    if (this.#left !== null && this.#left.sessionId !== current) this.#forget();
    return current === null ? null : this.host.store.turns.running(current);
  }

  /** Says what became of the questions that were asked here. */
  async #tell(turnId: TurnId): Promise<readonly Approval[]> {
    const { store } = this.host;
    const { output } = this.context;
    const approvals = await store.approvals.ofTurn(turnId);
    for (const one of approvals) {
      if (one.state === "open" || !this.#asked.delete(one.id)) continue;
      const { decidedOn } = one;
      const isElsewhere = decidedOn !== null && decidedOn !== "terminal";
      const where = isElsewhere ? `, ${await lookUpPlace(store, decidedOn)}` : "";
      output.note(`${outcomeText(one)}${where} (${askedText(one)}).`);
    }
    return approvals;
  }

  /** Asks one question. False when it was left. */
  async #ask(approval: Approval, place: { readonly at: number; readonly of: number }): Promise<boolean> {
    const { news, person } = this;
    const { output } = this.context;
    // Whoever goes on with it: what is said from now on is shown.
    await news.leave(approval.turnId, approval.sessionId);
    if (!this.#asked.has(approval.id)) {
      this.#asked.add(approval.id);
      person.asks(askedText(approval));
      for (const line of questionLines(output, approval, place)) output.line(line);
    }
    for (;;) {
      const reply = await this.#replyTo(approval);
      if (reply.kind === "overtaken") return true;
      if (reply.kind !== "answer") return false;
      const answer = readTypedAnswer(reply.text, approval);
      if (answer.type === "unclear") {
        if (answer.why !== null) output.note(answer.why);
      } else if (answer.type === "command") {
        if (!(await this.commands.takeAtQuestion(reply.text.trim()))) return false;
      } else {
        const isDone = await this.#attempt(() =>
          answer.type === "words" ? this.#denyOrSay(approval, answer.text) : this.#decide(approval, answer.decision),
        );
        if (isDone) return true;
      }
    }
  }

  /** What is written at the question; `overtaken` when it was decided elsewhere. */
  async #replyTo(approval: Approval): Promise<Reply> {
    const { store } = this.host;
    const { output } = this.context;
    const over = new AbortController();
    const look = async () => {
      const now = await store.approvals.get(approval.id).catch(() => approval);
      if (now?.state !== "open") over.abort();
    };
    using _watch = store.watch(() => void look());
    await look();
    const { yellow, dim } = output.colors;
    return await this.reader.decide({
      prompt: yellow("? "),
      hint: (text) => [questionRow(output, approval), dim(answerHint(text, approval))],
      signal: over.signal,
    });
  }

  async #decide(approval: Approval, decision: ApprovalDecision): Promise<boolean> {
    const { context, host, place } = this;
    if (decision.kind === "always") {
      const session = await host.store.sessions.get(approval.sessionId);
      const { allowAlways } = await import("./allow-always.ts");
      if (session === null || !(await allowAlways(context, host, session, approval))) return false;
    }
    await decideApproval(place, approval, decision);
    if (decision.kind === "no") await this.#denyRest(approval);
    return true;
  }

  /** What stands behind a call that was refused does not run either: nobody is asked about it. */
  async #denyRest({ turnId, askedAt }: Approval): Promise<void> {
    const approvals = await this.host.store.approvals.ofTurn(turnId);
    const rest = approvals.filter((one) => one.state === "open" && one.kind === "call" && one.askedAt === askedAt);
    for (const one of rest) {
      this.#asked.add(one.id);
      await decideApproval(this.place, one, { kind: "no" });
    }
  }

  /** Words that came too late to refuse anything are the next message. */
  async #denyOrSay(approval: Approval, text: string): Promise<boolean> {
    if (!(await this.#denyWith(approval, text))) this.ahead.push(text);
    return true;
  }

  /** False where it was decided elsewhere meanwhile: then nobody has the words. */
  async #denyWith(approval: Approval, text: string): Promise<boolean> {
    const { store } = this.host;
    // It stands on the screen already.
    this.news.own(approval.turnId);
    const message = { role: "user", text: withoutMarks(text), surface: "terminal" } as const;
    const request = { id: approval.id, decision: { kind: "no" }, by: AT_THE_TERMINAL, message } as const;
    return (await store.approvals.decide({ ...request, surface: "terminal" })).state === "decided";
  }

  async #attempt(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      await reportError(this.context.output, error);
      // One that is gone is not asked again.
      return error instanceof HermesError && error.code === "APPROVAL_UNKNOWN";
    }
  }

  async #leave({ code, turnId, sessionId }: Approval, open: number): Promise<void> {
    this.#left = { turnId, sessionId };
    // What was typed before a question is no answer to it.
    this.ahead.holdBack();
    const it = open === 1 ? "It waits" : `${open} questions wait`;
    this.context.output.note(
      `${it}: /approve ${code} or /deny ${code} answers, here or at any place where this session is open; ` +
        `\`hermes approvals\` lists what is open. Anything else you write here means no.`,
    );
  }

  /** Goes on with a turn whose questions are answered. Null where it does not ask again. */
  async #goOn(turn: Turn, approvals: readonly Approval[]): Promise<Turn | null> {
    const { news } = this;
    const { store } = this.host;
    const isOver = turn.state === "done" || turn.state === "interrupted";
    // What becomes of a handoff is said by whoever follows it.
    if (isOver || (await handoffInFlight(store, turn.sessionId)) !== null) return null;
    const last = approvals.toSorted((a, b) => (a.decidedAt ?? 0) - (b.decidedAt ?? 0)).at(-1);
    const isHere =
      turn.state === "waiting" && (await store.turns.resumable("terminal")).some(({ id }) => id === turn.id);
    if (!isHere) {
      await news.leave(turn.id, turn.sessionId);
      // `hermes approvals` decides in a terminal, and the turn stays where it was.
      const at = last?.decidedOn == null || last.decidedOn === "terminal" ? turn.surface : last.decidedOn;
      const where = await lookUpPlace(store, at);
      this.context.output.note(`The turn goes on ${where}; its answer is shown when it is there.`);
      return null;
    }
    const said = await this.run.goOn(turn);
    if (said.state === "unanswered") await news.leave(turn.id, turn.sessionId);
    return said.state === "parked" ? said.turn : null;
  }
}
