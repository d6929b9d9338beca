import type { SessionId } from "../../model/session.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import type { ChatHandoffs } from "./chat-handoffs.ts";
import type { ChatPlace } from "./chat-place.ts";
import type { ChatTurns } from "./chat-turns.ts";
import { Company } from "./company.ts";
import type { DeletedSession } from "./deleted-session.ts";
import type { Ending } from "./ending.ts";
import type { LinkClaims } from "./link-claims.ts";
import type { ModeSwitch } from "./mode-switch.ts";
import type { News } from "./news.ts";
import { OfferedElsewhere } from "./offered-elsewhere.ts";
import { OpenView } from "./open-view.ts";
import { createRefusalNews, type RefusalNews } from "./refusal-news.ts";
import type { Running } from "./running.ts";
import { SentHere } from "./sent-here.ts";
import { statusFactsOf } from "./status-facts.ts";
import type { StatusRow } from "./status-row.ts";

export interface ElsewhereParts {
  readonly context: CliContext;
  readonly host: TerminalHost;
  readonly place: ChatPlace;
  readonly running: Running;
  readonly modes: ModeSwitch;
  readonly row: StatusRow;
  readonly news: News;
  readonly deleted: DeletedSession;
  readonly turns: ChatTurns;
  readonly handoffs: ChatHandoffs;
  readonly claims: LinkClaims;
  readonly ending: Ending;
  /** Has the chat look at what is to be done before the next line. */
  wake(): void;
}

/** What other places and terminals do that a chat shows, and what the chat lets them know: which session it has open. */
export class Elsewhere implements Disposable {
  readonly #parts: ElsewhereParts;
  readonly #company: Company;
  readonly #refusals: RefusalNews;
  readonly #sentHere: SentHere;
  readonly #offered: OfferedElsewhere;
  readonly #view: OpenView;

  constructor(parts: ElsewhereParts) {
    const { context, host, place } = parts;
    this.#parts = parts;
    this.#company = new Company(context.output, host);
    this.#refusals = createRefusalNews(context.output, host.store);
    this.#sentHere = new SentHere(context.output, host.store);
    this.#offered = new OfferedElsewhere(context.output, host, place);
    this.#view = new OpenView(host);
  }

  /** Says what there is before the first line. */
  async open(sessionId: SessionId | null): Promise<void> {
    if (!this.#parts.context.io.isInteractive) return;
    await this.#refusals.open();
    if (sessionId === null) await this.#sentHere.show(null);
  }

  /** Says who can read a session that is opened here. */
  async showCompany(id: SessionId): Promise<void> {
    if (this.#parts.context.io.isInteractive) await this.#company.show(id);
  }

  /** Tells other terminals no more that a session was sent here: it is open. */
  async take(id: SessionId): Promise<void> {
    if (this.#parts.context.io.isInteractive) await this.#sentHere.take(id);
  }

  /** Lets others know which session is open where a person sits. */
  noteOpen(): void {
    const { context, place, ending } = this.#parts;
    if (context.io.isInteractive && !ending.isLeaving) this.#view.turnTo(place.current);
  }

  /** Lets others know that somebody sits here: a key was typed. */
  typed(): void {
    this.#view.typed();
  }

  /** Shows the session that is offered to go on with. */
  offer(): Promise<void> {
    return this.#offered.look();
  }

  /** Takes what is offered, unless something runs: `isOfferTaken` says so once. */
  takeOffer(): void {
    const { running, wake } = this.#parts;
    if (running.what === null && this.#offered.take()) wake();
  }

  isOfferTaken(): boolean {
    return this.#offered.isTaken();
  }

  /** Shows what others wrote and did, as soon as it is there; a turn of our own shows it by itself. */
  async show(): Promise<void> {
    const { host, place, running, modes, news, deleted, turns, handoffs, claims, wake } = this.#parts;
    try {
      this.noteOpen();
      await this.showStatus();
      const looksOn = turns.isWaiting || handoffs.isLookedOn;
      if (running.what !== null && !looksOn) return;
      const session = await place.session();
      if (session === null) await deleted.tell();
      else await news.show(session.id, { isQuiet: looksOn });
      if (running.what !== null) return;
      modes.seen(session);
      await this.#offered.look();
      await this.#showBeside(session?.id ?? null);
      if ((await turns.isDue()) || (await claims.isDue())) wake();
    } catch (error) {
      // Looked at again with the next change: the store may be busy, or closing.
      host.logger.debug({ error }, "could not look at what is new");
    }
  }

  /** Shows below the prompt what there is to say of the session. */
  async showStatus(): Promise<void> {
    const { context, host, place, row } = this.#parts;
    if (context.io.draws) row.set(await statusFactsOf(host, await place.session(), context.io.workingDirectory));
  }

  /** Lets others know that nobody has a session open here any more. */
  close(): Promise<void> {
    return this.#view.close();
  }

  [Symbol.dispose](): void {
    this.#offered[Symbol.dispose]();
    this.#view[Symbol.dispose]();
  }

  async #showBeside(open: SessionId | null): Promise<void> {
    if (!this.#parts.context.io.isInteractive) return;
    if (open !== null) await this.#company.show(open);
    await this.#refusals.show(open);
    await this.#sentHere.show(open);
  }
}
