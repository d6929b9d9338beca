import { KeyedQueue } from "../../base/keyed-queue.ts";
import type { Host } from "../../host/host.ts";
import type { SessionId } from "../../model/session.ts";
import type { ToolCall, TranscriptMessage } from "../../model/transcript.ts";
import type { TurnId } from "../../model/turn.ts";
import type { GrowingTurn } from "../../model/view.ts";
import type { Output } from "../../terminal/output.ts";
import { shownSummary } from "../../turn/run-tool.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import { createTranscriptView } from "../transcript-view.ts";
import { type GrowingElsewhere, LiveAnswer } from "./live-answer.ts";

/** How many messages are shown at least when a session is resumed. */
const TAIL_LENGTH = 6;
const LOOK_BACK = 200;

/** Milliseconds after which a growing answer is looked at again: who dies while writing it tells nobody. */
const LOOK_AGAIN_MS = 1_000;

/** What is said in the chat's session at other places, and by other terminals. */
export interface News extends Disposable {
  /** Turns to a session, and shows its end: all that was said elsewhere since the terminal last spoke. */
  open(sessionId: SessionId): Promise<void>;
  /** Follows a session from now on; skips its earlier messages. */
  skipTo(sessionId: SessionId): Promise<void>;
  /** What this turn writes is printed as it is written. */
  own(turnId: TurnId): void;
  /** Another process goes on with this turn: what it writes from now on is shown. */
  leave(turnId: TurnId, sessionId: SessionId): Promise<void>;
  /**
   * Shows what is new in the open session since the last call, and at the foot what is being said. With `isQuiet`
   * somebody else says that it is waited for.
   */
  show(sessionId: SessionId, options?: { readonly isQuiet?: boolean }): Promise<void>;
}

export function createNews(output: Output, { store, clock, holder, container }: Host): News {
  const ownTurns = new Set<TurnId>();
  const leftTurns = new Set<TurnId>();
  const live = new LiveAnswer(output, clock);
  const view = createTranscriptView(output, store, summaryOf);
  let open: SessionId | null = null;
  let seen = 0;
  let isQuietNow = false;
  let again: Disposable | null = null;
  /** The calls without a result of the turn that was seen last. */
  let running: { readonly turnId: TurnId | null; readonly calls: Map<ToolCall["id"], string> } = NO_CALLS;
  /** One look at a time: two at once would print the same messages twice. */
  const looks = new KeyedQueue<"look">();
  const inTurn = (look: () => Promise<void>) => looks.run("look", look);

  return {
    open: (sessionId) =>
      inTurn(async () => {
        const growing = await store.turns.growing(sessionId);
        const messages = await store.transcripts.read(sessionId, { limit: LOOK_BACK });
        open = sessionId;
        view.interrupt();
        seen = messages.at(-1)?.seq ?? 0;
        const here = messages.findLastIndex(({ role, surface }) => role === "user" && surface === "terminal");
        const from = Math.max(0, Math.min(messages.length - TAIL_LENGTH, here < 0 ? messages.length : here));
        for (const line of await view.render(messages.slice(from))) output.line(line);
        await showGrowing(growing, messages);
      }),
    skipTo: (sessionId) =>
      inTurn(async () => {
        if (open === sessionId) return;
        stopShowing();
        open = sessionId;
        seen = (await store.transcripts.read(sessionId, { limit: 1 })).at(-1)?.seq ?? 0;
      }),
    own(turnId) {
      view.interrupt();
      leftTurns.delete(turnId);
      ownTurns.add(turnId);
    },
    leave: (turnId, sessionId) =>
      inTurn(async () => {
        if (open === sessionId) await showNew(sessionId);
        ownTurns.delete(turnId);
        leftTurns.add(turnId);
      }),
    show: (sessionId, { isQuiet = false } = {}) =>
      inTurn(async () => {
        isQuietNow = isQuiet;
        // Another one was turned to meanwhile.
        if (open === sessionId) await showNew(sessionId);
        else stopShowing();
      }),
    [Symbol.dispose]: stopShowing,
  };

  async function showNew(sessionId: SessionId): Promise<void> {
    // Read first: a text that is noted here and stored by the next line stands in the messages.
    const growing = await store.turns.growing(sessionId);
    const messages = await store.transcripts.read(sessionId, { after: seen });
    seen = messages.at(-1)?.seq ?? seen;
    const others: TranscriptMessage[] = [];
    for (const message of messages) if (!(await isOwn(message.turnId))) others.push(message);
    const lines = await view.render(others);
    if (lines.length > 0) live.empty();
    for (const line of lines) output.line(line);
    await showGrowing(growing, messages);
  }

  async function showGrowing(growing: GrowingTurn | null, messages: readonly TranscriptMessage[]): Promise<void> {
    again?.[Symbol.dispose]();
    again = null;
    const said = growing === null || (await isOwn(growing.turn.id)) ? null : await saidOf(growing, messages);
    live.show(said, { isQuiet: isQuietNow });
    const sessionId = open;
    if (said === null || sessionId === null) return;
    again = clock.setTimer(LOOK_AGAIN_MS, () => {
      // The next change, or the next message, looks again, too.
      void inTurn(async () => void (open === sessionId && (await showNew(sessionId)))).catch(() => {});
    });
  }

  async function saidOf(
    { turn, text, after }: GrowingTurn,
    messages: readonly TranscriptMessage[],
  ): Promise<GrowingElsewhere> {
    if (running.turnId !== turn.id) running = { turnId: turn.id, calls: new Map() };
    let isStored = false;
    for (const { turnId, seq, toolCalls = [], toolCallId } of messages) {
      if (turnId !== turn.id) continue;
      isStored ||= seq > after;
      for (const { id, name } of toolCalls) running.calls.set(id, name);
      if (toolCallId !== undefined) running.calls.delete(toolCallId);
    }
    const said = isStored ? "" : (text ?? "");
    const [call] = running.calls.values();
    const what = call !== undefined ? `${call} is running` : said === "" ? "thinking" : "writing";
    return { turn, text: said, doing: `${await view.placeOf(turn)}: ${what}` };
  }

  function stopShowing(): void {
    again?.[Symbol.dispose]();
    again = null;
    live[Symbol.dispose]();
  }

  /** Whether this process printed what a turn says, or does so now. */
  async function isOwn(turnId: TurnId | null): Promise<boolean> {
    if (turnId === null || leftTurns.has(turnId)) return false;
    if (ownTurns.has(turnId)) return true;
    // It may have begun a moment ago, before it was said here.
    const turn = await store.turns.get(turnId);
    return turn?.state === "running" && turn.holder.id === holder.id;
  }

  async function summaryOf(call: ToolCall): Promise<string> {
    const session = open === null ? null : await store.sessions.get(open);
    if (session === null) return "";
    return shownSummary(call, await container.resolve(TOOL_POLICY).toolsOf(session));
  }
}

const NO_CALLS = { turnId: null, calls: new Map<ToolCall["id"], string>() } as const;
