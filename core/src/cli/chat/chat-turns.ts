import { inject, Lifecycle, scoped } from "tsyringe";
import type { SessionId } from "../../model/session.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import type { TerminalHost } from "../context.ts";
import { ChatSession } from "./chat-session.ts";
import { Ending } from "./ending.ts";
import { HandoffAhead } from "./hand-off-ahead.ts";
import { News } from "./news.ts";
import { OfferOpenTurn } from "./offer-open-turn.ts";
import { OpenTurn } from "./open-turn.ts";
import { RunTurn, type SayAgain } from "./run-turn.ts";
import { Running } from "./running.ts";
import { HOST, OUTPUT, READER } from "./tokens.ts";
import type { Said } from "./turn-printer.ts";
import { refuseWhileWaiting, Unasked } from "./unasked.ts";

/** The turns of a chat: those of its messages, and those that wait for people or were cut off. */
@scoped(Lifecycle.ContainerScoped)
export class ChatTurns {
  /** How many messages had no answer. */
  failures = 0;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(READER) readonly reader: LineReader,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(Running) readonly running: Running,
    @inject(Ending) readonly ending: Ending,
    @inject(News) readonly news: News,
    @inject(RunTurn) readonly run: RunTurn,
    @inject(OpenTurn) readonly waiting: OpenTurn,
    @inject(OfferOpenTurn) readonly offer: OfferOpenTurn,
    @inject(HandoffAhead) readonly handoff: HandoffAhead,
    @inject(Unasked) readonly unasked: Unasked,
  ) {}

  /** Runs a turn with a message. */
  async say(text: string, again: SayAgain): Promise<void> {
    const session = await this.session.forMessage(text);
    if (await this.#isForOpenTurn(session.id, text)) return;
    const said = await this.run.say(session, text, again);
    if (await this.#hasMoved(session.id, said)) return;
    await this.#settle(said);
  }

  /** Shows what a session that was just opened waits for, or offers to go on with a turn that was cut off. */
  async open(sessionId: SessionId, { takesAlong = false } = {}): Promise<void> {
    const turn = await this.offer.look(sessionId, { takesAlong });
    if (turn !== null) await this.waiting.settle(turn.id);
  }

  /** What comes behind a turn: its questions, where it waits for people. */
  async #settle(said: Said): Promise<void> {
    if (said.state === "unanswered") this.failures += 1;
    if (said.state !== "parked") return;
    if (this.output.io.isInteractive) return this.waiting.settle(said.turn.id);
    if (!(await this.unasked.deny(said.turn))) return this.reader.end();
    const rest = await this.run.goOn(said.turn);
    if (!(await this.#hasMoved(said.turn.sessionId, rest))) await this.#settle(rest);
  }

  /** Whether a handoff took the session along, with the turn that was parked for it. */
  async #hasMoved(sessionId: SessionId, said: Said): Promise<boolean> {
    const { handoff, running, news, ending } = this;
    const parked = said.state === "parked" && (await handoff.isParked(said.turn.id)) ? said.turn : null;
    if (parked === null && !handoff.isAsked) return false;
    const end = await running.run("handoff", (signal) => handoff.follow(sessionId, signal));
    if (end === "left") ending.leave();
    else if (end === "moved" && parked !== null) await news.leave(parked.id, sessionId);
    return end !== "here";
  }

  /** Whether a message is the answer to what a turn waits for. What was not asked here yet is asked first. */
  async #isForOpenTurn(sessionId: SessionId, text: string): Promise<boolean> {
    const { output, host } = this;
    if (!output.io.isInteractive) {
      await refuseWhileWaiting(host, sessionId);
      return false;
    }
    const { turns } = host.store;
    const turn = await turns.running(sessionId);
    if (turn?.state !== "waiting") return false;
    if (await this.waiting.answerWith(turn, text)) return true;
    await this.waiting.settle(turn.id);
    if ((await turns.running(sessionId))?.state !== "waiting") return false;
    output.note("Your message was not sent; arrow up brings it back.");
    return true;
  }
}
