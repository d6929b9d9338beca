import { offeredAt, offerLine } from "../../command/offer.ts";
import { clip } from "../../command/words.ts";
import type { Session } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import type { TerminalHost } from "../context.ts";
import type { ChatPlace } from "./chat-place.ts";

/** A line above the prompt that offers what was sent here, or used elsewhere, while the terminal is in no session. */
export class OfferedElsewhere implements Disposable {
  readonly #output: Output;
  readonly #host: TerminalHost;
  readonly #place: ChatPlace;
  #session: Session | null = null;
  #line = "";
  #region: Disposable | null = null;
  #isWanted = false;

  constructor(output: Output, host: TerminalHost, place: ChatPlace) {
    this.#output = output;
    this.#host = host;
    this.#place = place;
  }

  /** Shows what there is to go on with now. */
  async look(): Promise<void> {
    const { store, clock, config } = this.#host;
    const { current } = this.#place;
    const isOffered = current === null && this.#output.io.isInteractive && config.continuity === "offer";
    const found = isOffered ? await offeredAt(this.#place) : null;
    if (found === null) this[Symbol.dispose]();
    else this.#show(found, await offerLine({ store, clock }, { ...found, title: clip(found.title ?? found.id, 40) }));
  }

  /** Whether there is something to take, and nothing else is done: then `isTaken` says so once. */
  take(): boolean {
    this.#isWanted = this.#session !== null && this.#place.current === null;
    return this.#isWanted;
  }

  isTaken(): boolean {
    const isTaken = this.#isWanted;
    this.#isWanted = false;
    return isTaken;
  }

  [Symbol.dispose](): void {
    this.#session = null;
    this.#region?.[Symbol.dispose]();
    this.#region = null;
  }

  #show(session: Session, line: string): void {
    const { foot, io } = this.#output;
    const isNew = session.id !== this.#session?.id;
    this.#session = session;
    this.#line = line;
    if (!io.draws && isNew) this.#output.note(`${line} · /continue goes on with it`);
    if (this.#region === null) this.#region = foot.place("offer", () => ({ rows: [this.#row()] }));
    else foot.redraw();
  }

  #row(): string {
    const { dim } = this.#output.colors;
    return styled`${this.#line}${dim(" · Ctrl-G (or /continue) goes on with it")}`.ansi;
  }
}
