import type { FileRef } from "../../base/file-ref.ts";
import { withoutMarks } from "../../model/mark.ts";
import type { Session, SessionId } from "../../model/session.ts";
import type { SaidToTurn, Turn } from "../../model/turn.ts";
import type { LineId } from "../../model/typed-line.ts";
import { isForTurn, type TurnEvent } from "../../turn/turn-runner.ts";
import type { Ending } from "./ending.ts";
import type { FoldedOutput } from "./folded-output.ts";
import type { HandoffAhead } from "./hand-off-ahead.ts";
import { readMentioned } from "./mentions.ts";
import { offerOpenTurn } from "./offer-open-turn.ts";
import { OpenTurn, type OpenTurnParts } from "./open-turn.ts";
import type { OwnCommands } from "./own-command.ts";
import type { Running } from "./running.ts";
import { goOn, type Said, say, type TurnParts } from "./say.ts";
import type { AheadLine } from "./typed-ahead.ts";
import { refuseWhileWaiting, Unasked } from "./unasked.ts";

export interface ChatTurnsParts extends Omit<OpenTurnParts, "goOn"> {
  readonly running: Running;
  /** What has to be asked where nobody sits waits for an answer from elsewhere, instead of being denied. */
  readonly waits: boolean;
  readonly handoff: HandoffAhead;
  readonly folded: FoldedOutput;
  readonly commands: OwnCommands;
  readonly ending: Ending;
}

/** Whether a message stood in the transcript before, and the files that it had. */
export interface SayAgain {
  readonly isAgain: boolean;
  readonly files?: readonly FileRef[] | undefined;
}

/** What goes along with a message; `lines`: what the store has of it until then. */
interface Brought {
  readonly attached: string;
  readonly files: readonly FileRef[];
  readonly lines: readonly LineId[];
}

const NOTHING: Brought = { attached: "", files: [], lines: [] };

/** The turns of a chat: those of its messages, and those that wait for people or were cut off. */
export class ChatTurns {
  readonly #parts: ChatTurnsParts;
  readonly #open: OpenTurn;
  readonly #unasked: Unasked;
  /** How many messages had no answer. */
  failures = 0;
  /** Whether a message waits for a turn that another process runs. */
  isWaiting = false;

  constructor(parts: ChatTurnsParts) {
    const { context, host, waits } = parts;
    this.#parts = parts;
    this.#unasked = new Unasked(context.output, host, { waits });
    this.#open = new OpenTurn({ ...parts, goOn: (turn) => this.#goOn(turn) });
  }

  /** What the process ends with as to questions that nobody was asked. */
  get exit(): number {
    return this.#unasked.exit;
  }

  /** Runs a turn with a message. What others wrote before it is shown before its answer. */
  async say(text: string, { isAgain, files: again = [] }: SayAgain): Promise<void> {
    const { place, input, news, running, person, commands } = this.#parts;
    const { ahead } = input;
    const { untold } = commands;
    const session = await place.sessionFor(text);
    if (await this.#isForOpenTurn(session.id, text)) return;
    const brought = isAgain ? { ...NOTHING, files: again } : await this.#attachedTo(session, text);
    const { attached, files } = brought;
    ahead.keep();
    await news.skipTo(session.id);
    const typed = await ahead.cause();
    const cause = { ...typed, lines: [...(typed.lines ?? []), ...brought.lines] };
    const onEvent = (event: TurnEvent) => {
      if (event.type === "started") {
        this.isWaiting = false;
        ahead.sent(session.id);
        untold.told();
      } else if (event.type === "waiting" && isForTurn(event.for)) {
        this.isWaiting = true;
        ahead.waits(session.id);
      }
    };
    const said = await person
      .during(session.title, () =>
        running.run("turn", (signal) =>
          say({ ...this.#turnParts(signal), cause, onEvent, isAgain, attached, files }, session.id, text),
        ),
      )
      .then((said) => {
        if (said.state === "unanswered" && said.isTaken) untold.told();
        return said;
      })
      .finally(() => {
        this.isWaiting = false;
        this.#ended();
      });
    if (await this.#hasMoved(session.id, said)) return;
    await this.#settle(said);
  }

  /** Shows what a session that was just opened waits for, or offers to go on with a turn that was cut off. */
  async open(sessionId: SessionId, { takesAlong = false } = {}): Promise<void> {
    const { context, host, input } = this.#parts;
    const turn = await offerOpenTurn(context.output, host, input.reader, sessionId, { takesAlong });
    if (turn !== null) await this.#open.settle(turn.id);
  }

  /** Whether `tend` has something to do. */
  async isDue(): Promise<boolean> {
    return this.#parts.context.io.isInteractive && (await this.#open.isDue());
  }

  /** Asks what is new to be asked, and goes on with what was decided elsewhere. */
  async tend(): Promise<void> {
    if (this.#parts.context.io.isInteractive) await this.#open.tend();
  }

  /** What comes behind a turn: its questions, where it waits for people. */
  async #settle(said: Said): Promise<void> {
    if (said.state === "unanswered") this.failures += 1;
    if (said.state !== "parked") return;
    if (this.#parts.context.io.isInteractive) return this.#open.settle(said.turn.id);
    if (!(await this.#unasked.deny(said.turn))) return this.#parts.input.reader.end();
    const rest = await this.#goOn(said.turn);
    if (!(await this.#hasMoved(said.turn.sessionId, rest))) await this.#settle(rest);
  }

  /** Whether a handoff took the session along, with the turn that was parked for it. */
  async #hasMoved(sessionId: SessionId, said: Said): Promise<boolean> {
    const { handoff, running, news, ending } = this.#parts;
    const parked = said.state === "parked" && (await handoff.isParked(said.turn.id)) ? said.turn : null;
    if (parked === null && !handoff.isAsked) return false;
    const end = await running.run("handoff", (signal) => handoff.follow(sessionId, signal));
    if (end === "left") ending.leave();
    else if (end === "moved" && parked !== null) await news.leave(parked.id, sessionId);
    return end !== "here";
  }

  async #goOn(turn: Turn): Promise<Said> {
    const { running, person, host } = this.#parts;
    const title = (await host.store.sessions.get(turn.sessionId))?.title ?? null;
    return person
      .during(title, () => running.run("turn", (signal) => goOn(this.#turnParts(signal), turn)))
      .finally(() => this.#ended());
  }

  #turnParts(signal: AbortSignal): TurnParts {
    const { host, context, news, input, folded, commands } = this.#parts;
    const said = () => Promise.all(input.ahead.takeNow().map((line) => this.#saidNow(line)));
    const tookIn = () => {
      input.ahead.tookIn();
      commands.untold.told();
    };
    return { host, output: context.output, news, folded, signal, said, tookIn };
  }

  /** What was to go along with the turn, and does not stand in it, waits for the next one. */
  #ended(): void {
    const { input, commands } = this.#parts;
    input.ahead.turnEnded();
    commands.untold.takeBack();
  }

  /** A line that was typed for the turn that runs, with what it brings along. */
  async #saidNow({ id, text }: AheadLine): Promise<SaidToTurn> {
    const session = await this.#parts.place.session();
    // The turn takes one line away with the message, and no others.
    const { attached, files } = session === null ? NOTHING : await this.#attachedTo(session, text, { isNow: true });
    const message = { role: "user", text: withoutMarks(text) + attached, surface: "terminal" } as const;
    return { line: id, message: { ...message, ...(files.length > 0 && { files }) } };
  }

  /** The files that a message names, and what its writer ran since the last one. */
  async #attachedTo(session: Session, text: string, { isNow = false } = {}): Promise<Brought> {
    const { context, host, commands } = this.#parts;
    const { untold } = commands;
    if (!context.io.isInteractive) return NOTHING;
    const mentioned = await readMentioned(host, session, text);
    for (const note of mentioned.notes) context.output.note(note);
    const ran = isNow ? { text: await untold.takeOut(session.id), lines: [] } : await untold.take(session.id);
    return { attached: ran.text + mentioned.text, files: mentioned.files, lines: ran.lines };
  }

  /** Whether a message is the answer to what a turn waits for. What was not asked here yet is asked first. */
  async #isForOpenTurn(sessionId: SessionId, text: string): Promise<boolean> {
    const { host, context } = this.#parts;
    if (!context.io.isInteractive) {
      await refuseWhileWaiting(host, sessionId);
      return false;
    }
    const { turns } = host.store;
    const turn = await turns.running(sessionId);
    if (turn?.state !== "waiting") return false;
    if (await this.#open.answerWith(turn, text)) return true;
    await this.#open.settle(turn.id);
    if ((await turns.running(sessionId))?.state !== "waiting") return false;
    context.output.note("Your message was not sent; arrow up brings it back.");
    return true;
  }
}
