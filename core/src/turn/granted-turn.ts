import { countedUsage } from "../agent/counting-agent.ts";
import { asHermesError } from "../base/errors.ts";
import { machineOf } from "../base/process-identity.ts";
import { withoutSecrets } from "../base/without-secrets.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { compactionMarker } from "../model/compaction.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { Session } from "../model/session.ts";
import { titleFrom } from "../model/title.ts";
import { type NewMessage, shownCall, turnMarker } from "../model/transcript.ts";
import { type KeptState, NOTHING_KNOWN, stateInWords } from "../model/work-state.ts";
import { endLeftProcesses } from "../store/end-left-processes.ts";
import type { Store } from "../store/store.ts";
import { askAgent, type StepEvent } from "./ask-agent.ts";
import type { LeasedTurns } from "./leased-turns.ts";
import { readState } from "./read-state.ts";
import type { ToolEnded } from "./run-tool.ts";
import { type SplitAnswer, StateBlock, splitAnswer } from "./state-block.ts";
import { StepCalls } from "./step-calls.ts";
import type { ContextEvent } from "./turn-context.ts";
import type { TurnHold } from "./turn-hold.ts";
import { TurnLimits } from "./turn-limits.ts";
import { turnEventOf } from "./turn-notices.ts";
import type { TurnRequest, TurnResult } from "./turn-runner.ts";
import { type StartedTurn, type StepLeave, TurnWriter } from "./turn-writer.ts";

/** A turn that has the session's lease, from the agent's first word to the row that ends it. */
export class GrantedTurn {
  readonly #turns: LeasedTurns;
  readonly #request: TurnRequest;
  readonly #granted: StartedTurn;
  readonly #hold: TurnHold;
  readonly #writer: TurnWriter;
  /** What the agent says, since the last message that was written. */
  #text = "";
  /** What the agent said with its last calls. */
  #said = "";
  #session: Session;
  /** Holds back the state that a handoff's answer ends with; null in every other turn, which is asked for none. */
  #stateBlock: StateBlock | null;

  /** `isStillWanted` of the request: asked where the turn goes on, since it was not before it was granted. */
  constructor(turns: LeasedTurns, request: TurnRequest, granted: StartedTurn, hold: TurnHold) {
    this.#turns = turns;
    this.#request = request;
    this.#granted = granted;
    this.#hold = hold;
    this.#writer = new TurnWriter(turns, request, granted, hold);
    this.#session = granted.session;
    this.#stateBlock = request.cause.kind === "handoff" ? new StateBlock() : null;
  }

  /** Rejects where the turn goes on elsewhere: another process has it, or the next one is to take it up. */
  async run(): Promise<TurnResult> {
    const { logger, redact } = this.#turns;
    const { turn } = this.#granted;
    using writer = this.#writer;
    const finish = (ended: TurnResult, messages: readonly NewMessage[]) =>
      writer.finish(this.#session, ended, messages);
    try {
      const leave = await this.#ask();
      if (leave !== null) return await writer.park(leave, this.#said);
      const { text, work } = this.#answer();
      return await finish({ state: "done", turn, text, work }, [{ role: "assistant", text }]);
    } catch (thrown) {
      this.#hold.throwIfLost();
      const text = this.#text;
      if (this.#hold.ending === "leaving") {
        await writer.leave();
        throw thrown;
      }
      if (this.#hold.ending === "stopped") {
        const { isRevoked } = this.#hold;
        return await finish({ state: "stopped", turn, text, isRevoked }, this.#closing("stopped"));
      }
      // A provider's error may quote the request.
      const error = withoutSecrets(asHermesError(thrown), redact);
      if (error.code === "TURN_SUPERSEDED") throw error;
      logger.warn({ turn: turn.id, session: turn.sessionId, error: thrown }, "a turn failed");
      return await finish({ state: "failed", turn, text, error }, this.#closing("failed"));
    }
  }

  /**
   * Asks the agent, and writes each of its messages before it goes on. The last one is left in `#text`. Returns why the
   * turn goes on later; null when it is answered.
   */
  async #ask(): Promise<StepLeave | null> {
    const { store, agent, policy, holder } = this.#turns;
    const { turn, fence, message, leftRunning } = this.#granted;
    const { signal } = this.#hold;
    const writer = this.#writer;
    const isWantedStill = await writer.untilTaken(async () => (await this.#request.isStillWanted?.()) !== false);
    if (!isWantedStill) this.#hold.revoke();
    signal.throwIfAborted();
    await endLeftProcesses(leftRunning, this.#turns);
    const session = await writer.untilTaken(() => nameSession(store, this.#granted));
    this.#session = session;
    const tools = this.#request.tools && turn.author !== null ? await policy.toolsOf(session) : [];
    const request = message.internal ? "" : withReadableMarks(message.text);
    const isWanted = () => this.#hold.isWanted;
    const calls = new StepCalls({
      ...{ store, policy, host: machineOf(holder), session, turn, tools, signal, isWanted, request },
      begin: (call) => writer.begin(call),
      noteProcess: (call, process) =>
        writer.untilTaken(() => store.turns.noteProcess(turn.id, fence, call.id, process)),
      report: (call, text) => {
        writer.output.take(call.id, text);
        void this.#request.onEvent?.({ type: "tool-output", call: shownCall(call), text });
      },
    });
    // Every attempt after the first counts up, and one that waited is resumed, which brings no message.
    const isFirst = turn.attempt === 1 && this.#request.message !== null;
    const limits = new TurnLimits({ turns: this.#turns, turn, usage: writer.usage, request, isFirst });
    const context = this.#turns.contextOf(session, turn, {
      ...{ requestSeq: message.seq, signal, usage: writer.usage },
      untilTaken: (write) => writer.untilTaken(write),
      onEvent: (event) => this.#onContext(event),
    });
    const question = {
      ...{ session, turnId: turn.id, tools, signal, calls, isWanted, context },
      takeIn: () => writer.takeIn(),
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
        this.#writer.spoken.say(this.#text);
        if (delta !== "") await request.onEvent?.({ type: "text", delta });
        break;
      }
      case "waiting":
      case "fallback":
        await this.#onContext(event);
        break;
      case "spent":
        await this.#writer.usage.add("nothing", countedUsage(event));
        break;
      case "used":
        await this.#writer.usage.add("message", event.counted);
        break;
      case "step":
        await this.#writer.write([
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
        this.#writer.files.note(event);
        await this.#writer.write([this.#resultRow(event)]);
        await this.#tellResult(event);
        break;
      case "finish":
        this.#text = event.text;
    }
  }

  async #onContext(event: ContextEvent): Promise<void> {
    if (event.type === "compacted") this.#writer.told.push(withReadableMarks(compactionMarker(event.compaction)));
    if (event.type === "fallback") this.#writer.told.push(escapeMarkdown(event.text));
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

  #resultRow({ call, text, files = [] }: ToolEnded): NewMessage {
    return { role: "tool", text: this.#turns.redact(text), toolCallId: call.id, ...(files.length > 0 && { files }) };
  }

  async #tellResult(result: ToolEnded): Promise<void> {
    const text = this.#turns.redact(result.text);
    await this.#request.onEvent?.({ ...result, call: shownCall(result.call), text });
  }

  /** The end of a turn that has no answer: its request is marked as closed. The store gives open calls a result. */
  #closing(why: "stopped" | "failed"): NewMessage[] {
    // A handoff's own request is not a person's: undoing its binding closes it.
    if (this.#request.cause.kind === "handoff") return [];
    return [
      ...(this.#text.trim() ? [{ role: "assistant", text: this.#text } satisfies NewMessage] : []),
      { role: "assistant", text: turnMarker(why, this.#writer.toolsRan), internal: true },
    ];
  }
}

/** A session without a title gets one from its first message. */
async function nameSession(store: Store, { session, message }: StartedTurn): Promise<Session> {
  if (session.title !== null || message.internal) return session;
  const title = titleFrom(message.text);
  return title === null ? session : { ...session, title: await store.sessions.setTitle(session.id, title) };
}
