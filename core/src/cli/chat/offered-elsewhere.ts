import { inject, Lifecycle, scoped } from "tsyringe";
import type { CommandContext } from "../../command/command.ts";
import { offeredAt, offerLine } from "../../command/offer.ts";
import { clip } from "../../command/words.ts";
import type { Session } from "../../model/session.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import type { TerminalHost } from "../context.ts";
import { ChatSession } from "./chat-session.ts";
import { Running } from "./running.ts";
import { HOST, OUTPUT, PLACE, READER } from "./tokens.ts";

/** A line above the prompt that offers what was sent here, or used elsewhere, while the terminal is in no session. */
@scoped(Lifecycle.ContainerScoped)
export class OfferedElsewhere implements Disposable {
  #offered: Session | null = null;
  #line = "";
  #region: Disposable | null = null;
  #isWanted = false;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(READER) readonly reader: LineReader,
    @inject(PLACE) readonly place: CommandContext,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(Running) readonly running: Running,
  ) {}

  /** Shows what there is to go on with now. */
  async look(): Promise<void> {
    const { store, clock, config } = this.host;
    const isOffered = this.session.current === null && this.output.io.isInteractive && config.continuity === "offer";
    const found = isOffered ? await offeredAt(this.place) : null;
    if (found === null) this[Symbol.dispose]();
    else this.#show(found, await offerLine({ store, clock }, { ...found, title: clip(found.title ?? found.id, 40) }));
  }

  /** Takes what is offered, unless something runs: `isTaken` says so once. */
  take(): void {
    if (this.running.what !== null) return;
    this.#isWanted = this.#offered !== null && this.session.current === null;
    if (this.#isWanted) this.reader.wake();
  }

  isTaken(): boolean {
    const isTaken = this.#isWanted;
    this.#isWanted = false;
    return isTaken;
  }

  [Symbol.dispose](): void {
    this.#offered = null;
    this.#region?.[Symbol.dispose]();
    this.#region = null;
  }

  #show(session: Session, line: string): void {
    const { foot, io } = this.output;
    const isNew = session.id !== this.#offered?.id;
    this.#offered = session;
    this.#line = line;
    if (!io.draws && isNew) this.output.note(`${line} · /continue goes on with it`);
    if (this.#region === null) this.#region = foot.place("offer", () => ({ rows: [this.#row()] }));
    else foot.redraw();
  }

  #row(): string {
    const { dim } = this.output.colors;
    return styled`${this.#line}${dim(" · Ctrl-G (or /continue) goes on with it")}`.ansi;
  }
}
