import { inject, Lifecycle, scoped } from "tsyringe";
import type { FileRef } from "../../base/file-ref.ts";
import { withoutMarks } from "../../model/mark.ts";
import type { Session } from "../../model/session.ts";
import type { SaidToTurn, Turn } from "../../model/turn.ts";
import type { LineId } from "../../model/typed-line.ts";
import type { Output } from "../../terminal/output.ts";
import { isForTurn, type TurnEvent } from "../../turn/turn-runner.ts";
import type { TerminalHost } from "../context.ts";
import { CallPerson } from "./call-person.ts";
import { ChatSession } from "./chat-session.ts";
import { readMentioned } from "./mentions.ts";
import { News } from "./news.ts";
import { Running } from "./running.ts";
import { HOST, OUTPUT } from "./tokens.ts";
import { type Said, type TurnOptions, TurnPrinter } from "./turn-printer.ts";
import { type AheadLine, TypedAhead } from "./typed-ahead.ts";
import { UntoldOutput } from "./untold-output.ts";

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

/** Runs a turn of a chat, with what was typed and put out for it. */
@scoped(Lifecycle.ContainerScoped)
export class RunTurn {
  /** Whether a message waits for a turn that another process runs. */
  isWaiting = false;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(TypedAhead) readonly ahead: TypedAhead,
    @inject(UntoldOutput) readonly untold: UntoldOutput,
    @inject(Running) readonly running: Running,
    @inject(CallPerson) readonly person: CallPerson,
    @inject(News) readonly news: News,
    @inject(TurnPrinter) readonly printer: TurnPrinter,
  ) {}

  /** Runs one with a message. What others wrote before it is shown before its answer. */
  async say(session: Session, text: string, { isAgain, files: again = [] }: SayAgain): Promise<Said> {
    const { ahead, untold, news } = this;
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
    return this.#run(session.title, (options) =>
      this.printer.say(session.id, text, { ...options, cause, onEvent, isAgain, attached, files }),
    );
  }

  /** Goes on with one that waits, or was cut off. */
  async goOn(turn: Turn): Promise<Said> {
    const title = (await this.host.store.sessions.get(turn.sessionId))?.title ?? null;
    return this.#run(title, (options) => this.printer.goOn(turn, options));
  }

  async #run(title: string | null, work: (options: TurnOptions) => Promise<Said>): Promise<Said> {
    const { ahead, untold, running } = this;
    const said = () => Promise.all(ahead.takeNow().map((line) => this.#saidNow(line)));
    const tookIn = () => {
      ahead.tookIn();
      untold.told();
    };
    try {
      const came = await this.person.during(title, () =>
        running.run("turn", (signal) => work({ signal, said, tookIn })),
      );
      if (came.state === "unanswered" && came.isTaken) untold.told();
      return came;
    } finally {
      this.isWaiting = false;
      // What was to go along with the turn, and does not stand in it, waits for the next one.
      ahead.turnEnded();
      untold.takeBack();
    }
  }

  /** A line that was typed for the turn that runs, with what it brings along. */
  async #saidNow({ id, text }: AheadLine): Promise<SaidToTurn> {
    const session = await this.session.find();
    // The turn takes one line away with the message, and no others.
    const { attached, files } = session === null ? NOTHING : await this.#attachedTo(session, text, { isNow: true });
    const message = { role: "user", text: withoutMarks(text) + attached, surface: "terminal" } as const;
    return { line: id, message: { ...message, ...(files.length > 0 && { files }) } };
  }

  /** The files that a message names, and what its writer ran since the last one. */
  async #attachedTo(session: Session, text: string, { isNow = false } = {}): Promise<Brought> {
    const { output, host, untold } = this;
    if (!output.io.isInteractive) return NOTHING;
    const mentioned = await readMentioned(host, session, text);
    for (const note of mentioned.notes) output.note(note);
    const ran = isNow ? { text: await untold.takeOut(session.id), lines: [] } : await untold.take(session.id);
    return { attached: ran.text + mentioned.text, files: mentioned.files, lines: ran.lines };
  }
}
