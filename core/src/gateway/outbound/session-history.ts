import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type {
  CallOutcome,
  EarlierMessage,
  EarlierPart,
  SessionHistory,
  ShownTurn,
} from "../../adapter/session-history.ts";
import { safeText } from "../../base/hidden-text.ts";
import { REDACTOR, type Redactor } from "../../base/redact.ts";
import { matchResults } from "../../model/call-results.ts";
import type { SessionId } from "../../model/session.ts";
import { isSaid, speakerOf, type TranscriptMessage } from "../../model/transcript.ts";
import { asTyped } from "../../model/transcript-as-markdown.ts";
import type { TurnCall, TurnId } from "../../model/turn.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import { STORE, type Store } from "../../store/store.ts";
import { ADAPTER } from "../account/account.ts";
import { ChatReaders } from "../account/chat-readers.ts";
import { CallReaders } from "./call-readers.ts";
import { ShownTurns } from "./shown-turns.ts";

/** The most turns that are asked for at once. */
const MOST_TURNS = 100;

/** The most rows of a transcript that a part of what was said before is made of. */
const PART = 60;

/** What an adapter that mirrors reads of sessions, for those who may see it at that moment. */
@scoped(Lifecycle.ContainerScoped)
export class HistoryOfSessions implements SessionHistory {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(REDACTOR) readonly redact: Redactor,
    @inject(ChatReaders) readonly readers: Pick<ChatReaders, "mayRead">,
    @inject(CallReaders) readonly callReaders: Pick<CallReaders, "mayRead">,
    @inject(ShownTurns) readonly shown: ShownTurns,
  ) {}

  async calls(at: Conversation, turnIds: readonly string[]): Promise<readonly ShownTurn[]> {
    const wanted = [...new Set(turnIds)].slice(0, MOST_TURNS) as TurnId[];
    const turns: ShownTurn[] = [];
    const mayRead = new Map<SessionId, boolean>();
    for (const turnId of wanted) {
      const sessionId = (await this.store.turns.get(turnId))?.sessionId ?? null;
      if (sessionId === null) continue;
      const may = mayRead.get(sessionId) ?? (await this.#mayReadCalls(at, sessionId));
      mayRead.set(sessionId, may);
      if (may) turns.push(await this.shown.turn(turnId));
    }
    return turns;
  }

  async outcome(at: Conversation, turnId: string, callId: string): Promise<CallOutcome | null> {
    const turn = await this.store.turns.get(turnId as TurnId);
    if (turn === null || !(await this.#mayReadCalls(at, turn.sessionId))) return null;
    return this.shown.outcome(turn.id, callId);
  }

  async earlier(conversation: Conversation, id: string, before: number): Promise<EarlierPart | null> {
    const { store, readers } = this;
    const sessionId = id as SessionId;
    const key = this.adapter.buildSessionKey(conversation);
    if ((await store.sessions.get(sessionId)) === null) return null;
    if ((await readers.mayRead({ key, conversation, sessionId })) !== true) return null;
    const rows = await store.transcripts.read(sessionId, { before, limit: PART });
    const calls = (await this.#mayReadCalls(conversation, sessionId)) ? await this.#callsIn(rows) : new Map();
    const messages: EarlierMessage[] = [];
    for (const row of rows.filter(isSaid)) {
      const made = await Promise.all((calls.get(row) ?? []).map((call: TurnCall) => this.shown.call(call)));
      if (row.text.trim() !== "" || made.length > 0) messages.push(await this.#messageOf(row, made));
    }
    return { messages, before: rows.length < PART ? null : (rows[0]?.seq ?? null) };
  }

  async #messageOf(row: TranscriptMessage, calls: EarlierMessage["calls"]): Promise<EarlierMessage> {
    const { seq, turnId, surface, createdAt } = row;
    const speaker = speakerOf(row);
    return {
      ...{ seq, turnId, calls, saidAt: createdAt },
      author: speaker === "you" ? "user" : speaker === "hermes" ? "hermes" : "agent",
      place: speaker === "you" && surface ? await lookUpPlace(this.store, surface) : null,
      markdown: this.redact(safeText(asTyped(row))),
    };
  }

  /** The calls that each row made: with their times, as long as those of its turn are kept. */
  async #callsIn(rows: readonly TranscriptMessage[]): Promise<Map<TranscriptMessage, TurnCall[]>> {
    const results = matchResults(rows);
    const turnIds = [...new Set([...results.keys()].flatMap(({ turnId }) => turnId ?? []))];
    const kept = new Map((await this.store.turns.calls(turnIds)).map((one) => [keyOf(one.turnId, one.call.id), one]));
    return new Map(
      [...results].map(([row, found]) => {
        const { sessionId, turnId, toolCalls = [] } = row;
        const made = toolCalls.flatMap((call, at): TurnCall[] => {
          if (turnId === null) return [];
          const result = found[at]?.text ?? null;
          const unknown = {
            sessionId,
            turnId,
            call,
            result,
            output: null,
            beganAt: null,
            endedAt: found[at]?.createdAt ?? null,
          };
          return [kept.get(keyOf(turnId, call.id)) ?? unknown];
        });
        return [row, made];
      }),
    );
  }

  #mayReadCalls(conversation: Conversation, sessionId: SessionId): Promise<boolean> {
    return this.callReaders.mayRead({ key: this.adapter.buildSessionKey(conversation), conversation, sessionId });
  }
}

function keyOf(turnId: TurnId, callId: string): string {
  return `${turnId} ${callId}`;
}
