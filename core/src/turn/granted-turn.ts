import { countedUsage } from "../agent/counting-agent.ts";
import { asHermesError, type HermesError } from "../base/errors.ts";
import { machineOf } from "../base/process-identity.ts";
import { withoutSecrets } from "../base/without-secrets.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { NewApproval } from "../model/approval.ts";
import { compactionMarker } from "../model/compaction.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { Session } from "../model/session.ts";
import { titleFrom } from "../model/title.ts";
import { type NewMessage, shownCall, turnMarker } from "../model/transcript.ts";
import type { BegunCall, StartTurnResult } from "../model/turn.ts";
import { type KeptState, NOTHING_KNOWN, stateInWords } from "../model/work-state.ts";
import { isStranger } from "../store/current-rights.ts";
import { endLeftProcesses } from "../store/end-left-processes.ts";
import type { Store } from "../store/store.ts";
import { askAgent, type StepEvent } from "./ask-agent.ts";
import type { LeasedTurns } from "./leased-turns.ts";
import { entriesElsewhere, placesOfTurn } from "./other-places.ts";
import { PacedNotes } from "./paced-notes.ts";
import { withNewCode } from "./question.ts";
import { readState } from "./read-state.ts";
import type { ToolEnded } from "./run-tool.ts";
import { RunningOutput } from "./running-output.ts";
import { type FilesToSay, NO_FILES, SentFiles, takesFiles } from "./sent-files.ts";
import { type SplitAnswer, StateBlock, splitAnswer } from "./state-block.ts";
import { StepCalls } from "./step-calls.ts";
import type { ContextEvent } from "./turn-context.ts";
import type { TurnHold } from "./turn-hold.ts";
import { TurnLimits } from "./turn-limits.ts";
import { turnEventOf, turnNotices } from "./turn-notices.ts";
import type { TurnRequest, TurnResult } from "./turn-runner.ts";
import { TurnUsage } from "./turn-usage.ts";
import { untilTaken } from "./until-taken.ts";

export type StartedTurn = Extract<StartTurnResult, { ok: true }>;

/** A turn that has the session's lease, from the agent's first word to the row that ends it. */
export class GrantedTurn {
  readonly #turns: LeasedTurns;
  readonly #request: TurnRequest;
  readonly #granted: StartedTurn & { readonly hasWaited: boolean };
  readonly #hold: TurnHold;
  #toolsRan: boolean;
  readonly #files: SentFiles;
  /** What the agent says, since the last message that was written. */
  #text = "";
  /** What the agent said with its last calls. */
  #said = "";
  /** What is said and put out, for other processes to show before it is stored. */
  readonly #spoken: PacedNotes;
  readonly #output: RunningOutput;
  readonly #usage: TurnUsage;
  #session: Session;
  /** What was said about the turn in the terminal at once, as Markdown. */
  readonly #told: string[] = [];
  /** Holds back the state that a handoff's answer ends with; null in every other turn, which is asked for none. */
  #stateBlock: StateBlock | null;

  /** `hasWaited`: for other turns, or for people, since its author was last looked up. */
  constructor(
    turns: LeasedTurns,
    request: TurnRequest,
    granted: StartedTurn & { readonly hasWaited: boolean },
    hold: TurnHold,
  ) {
    this.#turns = turns;
    this.#request = request;
    this.#granted = granted;
    this.#hold = hold;
    this.#toolsRan = granted.turn.toolStarted;
    this.#session = granted.session;
    this.#files = new SentFiles(turns, granted, {
      tell: (markdown) => this.#told.push(markdown),
      mayBeSome: granted.turn.attempt > 1 || request.message === null,
    });
    const { id, fence } = granted.turn;
    this.#spoken = new PacedNotes(turns, (text) => turns.store.turns.noteText(id, fence, text));
    this.#output = new RunningOutput(turns, granted.turn);
    this.#usage = new TurnUsage(turns, granted.turn);
    this.#stateBlock = request.cause.kind === "handoff" ? new StateBlock() : null;
  }

  /** Rejects where the turn goes on elsewhere: another process has it, or the next one is to take it up. */
  async run(): Promise<TurnResult> {
    const { logger, redact } = this.#turns;
    const { turn } = this.#granted;
    using _spoken = this.#spoken;
    using _output = this.#output;
    try {
      const leave = await this.#ask();
      if (leave !== null) return await this.#park(leave);
      const { text, work } = this.#answer();
      return await this.#finish({ state: "done", turn, text, work }, [{ role: "assistant", text }]);
    } catch (thrown) {
      this.#hold.throwIfLost();
      const text = this.#text;
      if (this.#hold.ending === "leaving") {
        await this.#leave();
        throw thrown;
      }
      if (this.#hold.ending === "stopped") {
        const { isRevoked } = this.#hold;
        return await this.#finish({ state: "stopped", turn, text, isRevoked }, this.#closing("stopped"));
      }
      // A provider's error may quote the request.
      const error = withoutSecrets(asHermesError(thrown), redact);
      if (error.code === "TURN_SUPERSEDED") throw error;
      logger.warn({ turn: turn.id, session: turn.sessionId, error: thrown }, "a turn failed");
      return await this.#finish({ state: "failed", turn, text, error }, this.#closing("failed"));
    }
  }

  /**
   * Asks the agent, and writes each of its messages before it goes on. The last one is left in `#text`. Returns why the
   * turn goes on later; null when it is answered.
   */
  async #ask(): Promise<StepLeave | null> {
    const { store, agent, policy, holder } = this.#turns;
    const { turn, fence, message, leftRunning, hasWaited } = this.#granted;
    const { signal } = this.#hold;
    if (hasWaited && (await this.#untilTaken(() => isStranger(store, turn.author)))) this.#hold.revoke();
    signal.throwIfAborted();
    await endLeftProcesses(leftRunning, this.#turns);
    const session = await this.#untilTaken(() => nameSession(store, this.#granted));
    this.#session = session;
    const tools = this.#request.tools && turn.author !== null ? await policy.toolsOf(session) : [];
    const isWanted = () => this.#hold.isWanted;
    const calls = new StepCalls({
      ...{ store, policy, host: machineOf(holder), session, turn, tools, signal, isWanted },
      request: message.internal ? "" : withReadableMarks(message.text),
      begin: (call) => this.#begin(call),
      noteProcess: (call, process) => this.#untilTaken(() => store.turns.noteProcess(turn.id, fence, call.id, process)),
      report: (call, text) => {
        this.#output.take(call.id, text);
        void this.#request.onEvent?.({ type: "tool-output", call: shownCall(call), text });
      },
    });
    const request = message.internal ? "" : withReadableMarks(message.text);
    // Every attempt after the first counts up, and one that waited is resumed, which brings no message.
    const isFirst = turn.attempt === 1 && this.#request.message !== null;
    const limits = new TurnLimits({ turns: this.#turns, turn, usage: this.#usage, request, isFirst });
    const context = this.#turns.contextOf(session, turn, {
      ...{ requestSeq: message.seq, signal, usage: this.#usage },
      untilTaken: (write) => this.#untilTaken(write),
      onEvent: (event) => this.#onContext(event),
    });
    const question = {
      ...{ session, turnId: turn.id, tools, signal, calls, isWanted, context },
      takeIn: () => this.#takeIn(),
      limitQuestion: (hasBegun: boolean) => limits.question(hasBegun),
    };
    for await (const event of askAgent(agent, question)) {
      this.#hold.throwIfLost();
      if (event.type === "leave") return event.why;
      await this.#take(event);
    }
    if (signal.aborted) throw signal.reason;
    return null;
  }

  async #take(event: Exclude<StepEvent, { type: "leave" }>): Promise<void> {
    const request = this.#request;
    switch (event.type) {
      case "text": {
        const delta = this.#stateBlock?.push(event.delta) ?? event.delta;
        this.#text += delta;
        this.#spoken.say(this.#text);
        if (delta !== "") await request.onEvent?.({ type: "text", delta });
        break;
      }
      case "waiting":
      case "fallback":
        await this.#onContext(event);
        break;
      case "spent":
        await this.#usage.add("nothing", countedUsage(event));
        break;
      case "used":
        await this.#usage.add("message", event.counted);
        break;
      case "step":
        await this.#write([
          {
            role: "assistant",
            text: this.#split(event.text).said,
            toolCalls: event.toolCalls,
            providerParts: event.providerParts,
          },
          ...event.refused.map((result) => this.#resultRow(result)),
        ]);
        this.#said = this.#text;
        this.#text = "";
        if (this.#stateBlock !== null) this.#stateBlock = new StateBlock();
        for (const result of event.refused) {
          await request.onEvent?.({ type: "tool-call", call: shownCall(result.call), summary: "" });
          await this.#tellResult(result);
        }
        break;
      case "tool-call":
        await request.onEvent?.({ ...event, call: shownCall(event.call) });
        break;
      case "tool-result":
        this.#files.note(event);
        await this.#write([this.#resultRow(event)]);
        await this.#tellResult(event);
        break;
      case "finish":
        this.#text = event.text;
    }
  }

  async #onContext(event: ContextEvent): Promise<void> {
    if (event.type === "compacted") this.#told.push(withReadableMarks(compactionMarker(event.compaction)));
    if (event.type === "fallback") this.#told.push(escapeMarkdown(event.text));
    await this.#request.onEvent?.(turnEventOf(event));
  }

  #split(text: string): SplitAnswer {
    return this.#stateBlock === null ? { said: text, block: null } : splitAnswer(text);
  }

  /** The answer, and the state that a handoff's model put below it. */
  #answer(): { readonly text: string; readonly work?: KeptState } {
    const { said, block } = this.#split(this.#text);
    const session = this.#session;
    if (block === null) return { text: said };
    const state = readState(block);
    const text = said.trim() === "" ? stateInWords(state ?? NOTHING_KNOWN) : said;
    if (state === null) return { text };
    const { agent, clock } = this.#turns;
    return { text, work: { ...state, model: agent.modelOf(session), at: clock.now() } };
  }

  async #takeIn(): Promise<void> {
    const said = (await this.#request.said?.()) ?? [];
    const { turn, fence } = this.#granted;
    if (said.length === 0) return;
    await this.#untilTaken(() => this.#turns.store.turns.takeIn(turn.id, fence, said));
    this.#request.tookIn?.();
  }

  #resultRow({ call, text, files = [] }: ToolEnded): NewMessage {
    return { role: "tool", text: this.#turns.redact(text), toolCallId: call.id, ...(files.length > 0 && { files }) };
  }

  async #tellResult(result: ToolEnded): Promise<void> {
    const text = this.#turns.redact(result.text);
    await this.#request.onEvent?.({ ...result, call: shownCall(result.call), text });
  }

  async #begin(call: BegunCall): Promise<boolean> {
    const { turn, fence } = this.#granted;
    const mayRun = await this.#untilTaken(() => this.#turns.store.turns.beginCall(turn.id, fence, call));
    this.#hold.throwIfLost();
    this.#toolsRan ||= mayRun;
    return mayRun;
  }

  async #settle(): Promise<void> {
    await this.#spoken.settle();
    await this.#output.settle();
  }

  async #write(messages: readonly NewMessage[]): Promise<void> {
    await this.#settle();
    const { turn, fence } = this.#granted;
    const usage = this.#usage.unstored;
    await this.#untilTaken(() => this.#turns.store.turns.append(turn.id, fence, messages, usage));
    this.#usage.stored();
  }

  /** Leaves the turn in the store, with its questions, for whoever goes on with it. */
  async #park(leave: StepLeave): Promise<TurnResult> {
    // Such as what a summary used that came to nothing.
    if (this.#usage.unstored.length > 0) await this.#write([]);
    await this.#settle();
    this.#hold.throwIfLost();
    const { store } = this.#turns;
    const { turn, fence } = this.#granted;
    const text = this.#said;
    // What a handoff takes along goes out where it arrives.
    const { files, upTo } = leave.kind === "asks" ? await this.#filesToSay() : NO_FILES;
    for (let approvals = leave.kind === "asks" ? leave.approvals : []; ; approvals = approvals.map(withNewCode)) {
      const result = { state: "parked", turn, text, approvals, files } as const;
      const outbox = [...((await this.#request.compose?.(result)) ?? []), ...(await this.#notices())];
      const shownAt = approvals.length === 0 ? [] : await placesOfTurn(store, turn);
      const reason = leave.kind === "leaves" ? "handoff" : approvals.every(isQuestion) ? "question" : "approval";
      const parked = await this.#untilTaken(() =>
        store.turns.parkTurn({
          ...{ turnId: turn.id, fence, reason, approvals, shownAt, outbox },
          ...((takesFiles(outbox) || (upTo > 0 && files.length === 0)) && { filesUpTo: upTo }),
        }),
      );
      if (parked === "parked") return result;
    }
  }

  #notices(): Promise<NewOutboxEntry[]> {
    return turnNotices(this.#turns.store, this.#granted.turn, this.#told);
  }

  /** Where nothing of the turn is said, no file goes along. */
  async #filesToSay(): Promise<FilesToSay> {
    return this.#request.compose === undefined ? NO_FILES : this.#files.toSay();
  }

  async #finish(ended: TurnResult, messages: readonly NewMessage[]): Promise<TurnResult> {
    await this.#settle();
    this.#hold.throwIfLost();
    const result = { ...ended, files: (await this.#filesToSay()).files };
    const { store, policy } = this.#turns;
    const { turn, fence } = this.#granted;
    const session = this.#session;
    const composed = [...((await this.#request.compose?.(result)) ?? []), ...(await this.#notices())];
    await this.#untilTaken(async () => {
      const elsewhere = await entriesElsewhere(store, session, this.#granted, result, policy);
      const state = result.state === "done" ? "done" : "interrupted";
      const outbox = [...composed, ...elsewhere];
      const work = result.state === "done" ? result.work : undefined;
      const usage = this.#usage.unstored;
      await store.turns.finishTurn({ turnId: turn.id, fence, state, messages, outbox, work, usage });
    });
    return result;
  }

  /** What was spent is stored; the turn stays open for the next holder, who asks again. */
  async #leave(): Promise<void> {
    if (this.#usage.unstored.length === 0) return;
    const { logger } = this.#turns;
    await this.#write([]).catch((error: unknown) => logger.warn({ error }, "what a turn used could not be kept"));
  }

  /** The end of a turn that has no answer: its request is marked as closed. The store gives open calls a result. */
  #closing(why: "stopped" | "failed"): NewMessage[] {
    // A handoff's own request is not a person's: undoing its binding closes it.
    if (this.#request.cause.kind === "handoff") return [];
    return [
      ...(this.#text.trim() ? [{ role: "assistant", text: this.#text } satisfies NewMessage] : []),
      { role: "assistant", text: turnMarker(why, this.#toolsRan), internal: true },
    ];
  }

  #untilTaken<T>(write: () => Promise<T>): Promise<T> {
    const tell = (error: HermesError) => this.#request.onEvent?.({ type: "waiting", for: { reason: "store", error } });
    return untilTaken(write, this.#turns, this.#hold.signal, tell);
  }
}

type StepLeave = Extract<StepEvent, { type: "leave" }>["why"];

function isQuestion({ kind }: NewApproval): boolean {
  return kind === "question";
}

/** A session without a title gets one from its first message. */
async function nameSession(store: Store, { session, message }: StartedTurn): Promise<Session> {
  if (session.title !== null || message.internal) return session;
  const title = titleFrom(message.text);
  return title === null ? session : { ...session, title: await store.sessions.setTitle(session.id, title) };
}
