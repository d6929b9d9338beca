import type { HermesError } from "../base/errors.ts";
import type { NewApproval } from "../model/approval.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { Session } from "../model/session.ts";
import type { NewMessage } from "../model/transcript.ts";
import type { BegunCall, StartTurnResult } from "../model/turn.ts";
import type { StepEvent } from "./ask-agent.ts";
import type { LeasedTurns } from "./leased-turns.ts";
import { entriesElsewhere, placesOfTurn } from "./other-places.ts";
import { PacedNotes } from "./paced-notes.ts";
import { withNewCode } from "./question.ts";
import { RunningOutput } from "./running-output.ts";
import { type FilesToSay, NO_FILES, SentFiles, takesFiles } from "./sent-files.ts";
import type { TurnHold } from "./turn-hold.ts";
import { turnNotices } from "./turn-notices.ts";
import type { TurnRequest, TurnResult } from "./turn-runner.ts";
import { TurnUsage } from "./turn-usage.ts";
import { untilTaken } from "./until-taken.ts";

export type StartedTurn = Extract<StartTurnResult, { ok: true }>;

export type StepLeave = Extract<StepEvent, { type: "leave" }>["why"];

/** Writes down what happens in a turn, and how it ends: each time until a busy store has taken it. */
export class TurnWriter {
  readonly #turns: LeasedTurns;
  readonly #request: TurnRequest;
  readonly #granted: StartedTurn;
  readonly #hold: TurnHold;
  readonly files: SentFiles;
  /** What is said and put out, for other processes to show before it is stored. */
  readonly spoken: PacedNotes;
  readonly output: RunningOutput;
  readonly usage: TurnUsage;
  /** What was said about the turn in the terminal at once, as Markdown. */
  readonly told: string[] = [];
  #toolsRan: boolean;

  constructor(turns: LeasedTurns, request: TurnRequest, granted: StartedTurn, hold: TurnHold) {
    this.#turns = turns;
    this.#request = request;
    this.#granted = granted;
    this.#hold = hold;
    this.#toolsRan = granted.turn.toolStarted;
    this.files = new SentFiles(turns, granted, {
      tell: (markdown) => this.told.push(markdown),
      mayBeSome: granted.turn.attempt > 1 || request.message === null,
    });
    const { id, fence } = granted.turn;
    this.spoken = new PacedNotes(turns, (text) => turns.store.turns.noteText(id, fence, text));
    this.output = new RunningOutput(turns, granted.turn);
    this.usage = new TurnUsage(turns, granted.turn);
  }

  [Symbol.dispose](): void {
    this.output[Symbol.dispose]();
    this.spoken[Symbol.dispose]();
  }

  /** Whether a tool ran in the turn, in this attempt or an earlier one. */
  get toolsRan(): boolean {
    return this.#toolsRan;
  }

  /** False where the call may not run any more. */
  async begin(call: BegunCall): Promise<boolean> {
    const { turn, fence } = this.#granted;
    const mayRun = await this.untilTaken(() => this.#turns.store.turns.beginCall(turn.id, fence, call));
    this.#hold.throwIfLost();
    this.#toolsRan ||= mayRun;
    return mayRun;
  }

  /** Takes in what was said meanwhile. */
  async takeIn(): Promise<void> {
    const said = (await this.#request.said?.()) ?? [];
    const { turn, fence } = this.#granted;
    if (said.length === 0) return;
    await this.untilTaken(() => this.#turns.store.turns.takeIn(turn.id, fence, said));
    this.#request.tookIn?.();
  }

  async #settle(): Promise<void> {
    await this.spoken.settle();
    await this.output.settle();
  }

  async write(messages: readonly NewMessage[]): Promise<void> {
    await this.#settle();
    const { turn, fence } = this.#granted;
    const usage = this.usage.unstored;
    await this.untilTaken(() => this.#turns.store.turns.append(turn.id, fence, messages, usage));
    this.usage.stored();
  }

  /** Leaves the turn in the store, with its questions, for whoever goes on with it. */
  async park(leave: StepLeave, text: string): Promise<TurnResult> {
    // Such as what a summary used that came to nothing.
    if (this.usage.unstored.length > 0) await this.write([]);
    await this.#settle();
    this.#hold.throwIfLost();
    const { store } = this.#turns;
    const { turn, fence } = this.#granted;
    // What a handoff takes along goes out where it arrives.
    const { files, upTo } = leave.kind === "asks" ? await this.#filesToSay() : NO_FILES;
    for (let approvals = leave.kind === "asks" ? leave.approvals : []; ; approvals = approvals.map(withNewCode)) {
      const result = { state: "parked", turn, text, approvals, files } as const;
      const outbox = [...((await this.#request.compose?.(result)) ?? []), ...(await this.#notices())];
      const shownAt = approvals.length === 0 ? [] : await placesOfTurn(store, turn);
      const reason = leave.kind === "leaves" ? "handoff" : approvals.every(isQuestion) ? "question" : "approval";
      const parked = await this.untilTaken(() =>
        store.turns.parkTurn({
          ...{ turnId: turn.id, fence, reason, approvals, shownAt, outbox },
          ...((takesFiles(outbox) || (upTo > 0 && files.length === 0)) && { filesUpTo: upTo }),
        }),
      );
      if (parked === "parked") return result;
    }
  }

  #notices(): Promise<NewOutboxEntry[]> {
    return turnNotices(this.#turns.store, this.#granted.turn, this.told);
  }

  /** Where nothing of the turn is said, no file goes along. */
  async #filesToSay(): Promise<FilesToSay> {
    return this.#request.compose === undefined ? NO_FILES : this.files.toSay();
  }

  /** Ends the turn with its last messages, and with what is said of it at each place. */
  async finish(session: Session, ended: TurnResult, messages: readonly NewMessage[]): Promise<TurnResult> {
    await this.#settle();
    this.#hold.throwIfLost();
    const result = { ...ended, files: (await this.#filesToSay()).files };
    const { store, policy } = this.#turns;
    const { turn, fence } = this.#granted;
    const composed = [...((await this.#request.compose?.(result)) ?? []), ...(await this.#notices())];
    await this.untilTaken(async () => {
      const elsewhere = await entriesElsewhere(store, session, this.#granted, result, policy);
      const state = result.state === "done" ? "done" : "interrupted";
      const outbox = [...composed, ...elsewhere];
      const work = result.state === "done" ? result.work : undefined;
      const usage = this.usage.unstored;
      await store.turns.finishTurn({ turnId: turn.id, fence, state, messages, outbox, work, usage });
    });
    return result;
  }

  /** What was spent is stored; the turn stays open for the next holder, who asks again. */
  async leave(): Promise<void> {
    if (this.usage.unstored.length === 0) return;
    const { logger } = this.#turns;
    await this.write([]).catch((error: unknown) => logger.warn({ error }, "what a turn used could not be kept"));
  }

  untilTaken<T>(write: () => Promise<T>): Promise<T> {
    const tell = (error: HermesError) => this.#request.onEvent?.({ type: "waiting", for: { reason: "store", error } });
    return untilTaken(write, this.#turns, this.#hold.signal, tell);
  }
}

function isQuestion({ kind }: NewApproval): boolean {
  return kind === "question";
}
