import { inject, Lifecycle, scoped } from "tsyringe";
import type { SessionId } from "../../model/session.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import type { TerminalHost } from "../context.ts";
import { ChatHandoffs } from "./chat-handoffs.ts";
import { ChatSession } from "./chat-session.ts";
import { Company } from "./company.ts";
import { DeletedSession } from "./deleted-session.ts";
import { Ending } from "./ending.ts";
import { LinkClaims } from "./link-claims.ts";
import { ModeSwitch } from "./mode-switch.ts";
import { News } from "./news.ts";
import { OfferedElsewhere } from "./offered-elsewhere.ts";
import { OpenTurn } from "./open-turn.ts";
import { OpenView } from "./open-view.ts";
import { RefusalNews } from "./refusal-news.ts";
import { RunTurn } from "./run-turn.ts";
import { Running } from "./running.ts";
import { SentHere } from "./sent-here.ts";
import { statusFactsOf } from "./status-facts.ts";
import { StatusRow } from "./status-row.ts";
import { HOST, OUTPUT, READER } from "./tokens.ts";

/** What other places and terminals do that a chat shows, and what the chat lets them know: which session it has open. */
@scoped(Lifecycle.ContainerScoped)
export class Elsewhere {
  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(READER) readonly reader: LineReader,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(Running) readonly running: Running,
    @inject(Ending) readonly ending: Ending,
    @inject(StatusRow) readonly row: StatusRow,
    @inject(ModeSwitch) readonly modes: ModeSwitch,
    @inject(DeletedSession) readonly deleted: DeletedSession,
    @inject(News) readonly news: News,
    @inject(RunTurn) readonly turn: RunTurn,
    @inject(OpenTurn) readonly waiting: OpenTurn,
    @inject(ChatHandoffs) readonly handoffs: ChatHandoffs,
    @inject(LinkClaims) readonly claims: LinkClaims,
    @inject(Company) readonly company: Company,
    @inject(RefusalNews) readonly refusals: RefusalNews,
    @inject(SentHere) readonly sentHere: SentHere,
    @inject(OfferedElsewhere) readonly offered: OfferedElsewhere,
    @inject(OpenView) readonly view: OpenView,
  ) {}

  /** Says what there is before the first line. */
  async open(sessionId: SessionId | null): Promise<void> {
    if (!this.output.io.isInteractive) return;
    await this.refusals.open();
    if (sessionId === null) await this.sentHere.show(null);
  }

  /** Lets others know which session is open where a person sits. */
  noteOpen(): void {
    if (this.output.io.isInteractive && !this.ending.isLeaving) this.view.turnTo(this.session.current);
  }

  /** Shows what others wrote and did, as soon as it is there; a turn of our own shows it by itself. */
  async show(): Promise<void> {
    const { running } = this;
    try {
      this.noteOpen();
      await this.showStatus();
      const looksOn = this.turn.isWaiting || this.handoffs.isLookedOn;
      if (running.what !== null && !looksOn) return;
      const session = await this.session.find();
      if (session === null) await this.deleted.tell();
      else await this.news.show(session.id, { isQuiet: looksOn });
      if (running.what !== null) return;
      this.modes.seen(session);
      await this.offered.look();
      await this.#showBeside(session?.id ?? null);
      if ((await this.waiting.isDue()) || (await this.claims.isDue())) this.reader.wake();
    } catch (error) {
      // Looked at again with the next change: the store may be busy, or closing.
      this.host.logger.debug({ error }, "could not look at what is new");
    }
  }

  /** Shows below the prompt what there is to say of the session. */
  async showStatus(): Promise<void> {
    const { io } = this.output;
    if (io.draws) this.row.set(await statusFactsOf(this.host, await this.session.find(), io.workingDirectory));
  }

  async #showBeside(open: SessionId | null): Promise<void> {
    if (!this.output.io.isInteractive) return;
    if (open !== null) await this.company.show(open);
    await this.refusals.show(open);
    await this.sentHere.show(open);
  }
}
