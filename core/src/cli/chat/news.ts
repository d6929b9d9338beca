import { inject, Lifecycle, scoped } from "tsyringe";
import { KeyedQueue } from "../../base/keyed-queue.ts";
import type { Host } from "../../host/host.ts";
import type { SessionId } from "../../model/session.ts";
import type { ToolCall, TranscriptMessage } from "../../model/transcript.ts";
import type { TurnId } from "../../model/turn.ts";
import type { GrowingTurn } from "../../model/view.ts";
import type { Output } from "../../terminal/output.ts";
import { shownSummary } from "../../turn/run-tool.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import { createTranscriptView, type TranscriptView } from "../transcript-view.ts";
import { type GrowingElsewhere, LiveAnswer } from "./live-answer.ts";
import { HOST, OUTPUT } from "./tokens.ts";

/** How many messages are shown at least when a session is resumed. */
const TAIL_LENGTH = 6;
const LOOK_BACK = 200;

/** Milliseconds after which a growing answer is looked at again: who dies while writing it tells nobody. */
const LOOK_AGAIN_MS = 1_000;

const NO_CALLS = { turnId: null, calls: new Map<ToolCall["id"], string>() } as const;

/** What is said in the chat's session at other places, and by other terminals. */
@scoped(Lifecycle.ContainerScoped)
export class News implements Disposable {
  readonly #ownTurns = new Set<TurnId>();
  readonly #leftTurns = new Set<TurnId>();
  readonly #live: LiveAnswer;
  readonly #view: TranscriptView;
  #open: SessionId | null = null;
  #seen = 0;
  #isQuiet = false;
  #again: Disposable | null = null;
  /** The calls without a result of the turn that was seen last. */
  #running: { readonly turnId: TurnId | null; readonly calls: Map<ToolCall["id"], string> } = NO_CALLS;
  /** One look at a time: two at once would print the same messages twice. */
  readonly #looks = new KeyedQueue<"look">();

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
  ) {
    this.#live = new LiveAnswer(output, host.clock);
    this.#view = createTranscriptView(output, host.store, (call) => this.#summaryOf(call));
  }

  /** Turns to a session, and shows its end: all that was said elsewhere since the terminal last spoke. */
  open(sessionId: SessionId): Promise<void> {
    return this.#inTurn(async () => {
      const { turns, transcripts } = this.host.store;
      const growing = await turns.growing(sessionId);
      const messages = await transcripts.read(sessionId, { limit: LOOK_BACK });
      this.#open = sessionId;
      this.#view.interrupt();
      this.#seen = messages.at(-1)?.seq ?? 0;
      const here = messages.findLastIndex(({ role, surface }) => role === "user" && surface === "terminal");
      const from = Math.max(0, Math.min(messages.length - TAIL_LENGTH, here < 0 ? messages.length : here));
      for (const line of await this.#view.render(messages.slice(from))) this.output.line(line);
      await this.#showGrowing(growing, messages);
    });
  }

  /** Follows a session from now on; skips its earlier messages. */
  skipTo(sessionId: SessionId): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#open === sessionId) return;
      this[Symbol.dispose]();
      this.#open = sessionId;
      this.#seen = (await this.host.store.transcripts.read(sessionId, { limit: 1 })).at(-1)?.seq ?? 0;
    });
  }

  /** What this turn writes is printed as it is written. */
  own(turnId: TurnId): void {
    this.#view.interrupt();
    this.#leftTurns.delete(turnId);
    this.#ownTurns.add(turnId);
  }

  /** Another process goes on with this turn: what it writes from now on is shown. */
  leave(turnId: TurnId, sessionId: SessionId): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#open === sessionId) await this.#showNew(sessionId);
      this.#ownTurns.delete(turnId);
      this.#leftTurns.add(turnId);
    });
  }

  /**
   * Shows what is new in the open session since the last call, and at the foot what is being said. With `isQuiet`
   * somebody else says that it is waited for.
   */
  show(sessionId: SessionId, { isQuiet = false } = {}): Promise<void> {
    return this.#inTurn(async () => {
      this.#isQuiet = isQuiet;
      // Another one was turned to meanwhile.
      if (this.#open === sessionId) await this.#showNew(sessionId);
      else this[Symbol.dispose]();
    });
  }

  [Symbol.dispose](): void {
    this.#again?.[Symbol.dispose]();
    this.#again = null;
    this.#live[Symbol.dispose]();
  }

  #inTurn(look: () => Promise<void>): Promise<void> {
    return this.#looks.run("look", look);
  }

  async #showNew(sessionId: SessionId): Promise<void> {
    const { turns, transcripts } = this.host.store;
    // Read first: a text that is noted here and stored by the next line stands in the messages.
    const growing = await turns.growing(sessionId);
    const messages = await transcripts.read(sessionId, { after: this.#seen });
    this.#seen = messages.at(-1)?.seq ?? this.#seen;
    const others: TranscriptMessage[] = [];
    for (const message of messages) if (!(await this.#isOwn(message.turnId))) others.push(message);
    const lines = await this.#view.render(others);
    if (lines.length > 0) this.#live.empty();
    for (const line of lines) this.output.line(line);
    await this.#showGrowing(growing, messages);
  }

  async #showGrowing(growing: GrowingTurn | null, messages: readonly TranscriptMessage[]): Promise<void> {
    this.#again?.[Symbol.dispose]();
    this.#again = null;
    const said =
      growing === null || (await this.#isOwn(growing.turn.id)) ? null : await this.#saidOf(growing, messages);
    this.#live.show(said, { isQuiet: this.#isQuiet });
    const sessionId = this.#open;
    if (said === null || sessionId === null) return;
    this.#again = this.host.clock.setTimer(LOOK_AGAIN_MS, () => {
      // The next change, or the next message, looks again, too.
      const look = async () => void (this.#open === sessionId && (await this.#showNew(sessionId)));
      void this.#inTurn(look).catch(() => {});
    });
  }

  async #saidOf({ turn, text, after }: GrowingTurn, messages: readonly TranscriptMessage[]): Promise<GrowingElsewhere> {
    if (this.#running.turnId !== turn.id) this.#running = { turnId: turn.id, calls: new Map() };
    const { calls } = this.#running;
    let isStored = false;
    for (const { turnId, seq, toolCalls = [], toolCallId } of messages) {
      if (turnId !== turn.id) continue;
      isStored ||= seq > after;
      for (const { id, name } of toolCalls) calls.set(id, name);
      if (toolCallId !== undefined) calls.delete(toolCallId);
    }
    const said = isStored ? "" : (text ?? "");
    const [call] = calls.values();
    const what = call !== undefined ? `${call} is running` : said === "" ? "thinking" : "writing";
    return { turn, text: said, doing: `${await this.#view.placeOf(turn)}: ${what}` };
  }

  /** Whether this process printed what a turn says, or does so now. */
  async #isOwn(turnId: TurnId | null): Promise<boolean> {
    if (turnId === null || this.#leftTurns.has(turnId)) return false;
    if (this.#ownTurns.has(turnId)) return true;
    // It may have begun a moment ago, before it was said here.
    const { store, holder } = this.host;
    const turn = await store.turns.get(turnId);
    return turn?.state === "running" && turn.holder.id === holder.id;
  }

  async #summaryOf(call: ToolCall): Promise<string> {
    const { store, container } = this.host;
    const session = this.#open === null ? null : await store.sessions.get(this.#open);
    if (session === null) return "";
    return shownSummary(call, await container.resolve(TOOL_POLICY).toolsOf(session));
  }
}
