import { modeAt, setMode } from "../../command/mode.ts";
import type { Session, SessionMode } from "../../model/session.ts";
import { meaningOf, modeAfter } from "../../model/session-mode.ts";
import type { Output } from "../../terminal/output.ts";
import type { ChatPlace } from "./chat-place.ts";
import type { StatusRow } from "./status-row.ts";

/** The mode of the chat's session: shown below the input unless it is the default, and changed by Shift-Tab. */
export class ModeSwitch {
  readonly #output: Output;
  readonly #place: ChatPlace;
  readonly #row: StatusRow;

  constructor(output: Output, place: ChatPlace, row: StatusRow) {
    this.#output = output;
    this.#row = row;
    this.#place = place;
  }

  /** Changes to the next mode. */
  async next(): Promise<void> {
    const mode = modeAfter(this.#row.facts.mode);
    // Shown before it is kept, so that the key can be pressed twice.
    this.#draw(mode, true);
    await setMode(this.#place, mode);
  }

  /** Shows the mode as it is now. */
  async show(): Promise<void> {
    this.#draw(await modeAt(this.#place));
  }

  /** Says no more what the mode means: the person goes on. */
  settle(): void {
    this.#row.set({ isNewMode: false });
  }

  /** Shows the mode of the session as it was just read; null where the next message begins one. */
  seen(session: Session | null): void {
    this.#draw(session?.mode ?? this.#place.nextMode);
  }

  #draw(mode: SessionMode, isNewMode = this.#row.facts.isNewMode): void {
    const { io } = this.#output;
    const isChanged = mode !== this.#row.facts.mode;
    if (isChanged && io.isInteractive && !io.draws) this.#output.note(`Mode ${mode}: ${meaningOf(mode)}.`);
    this.#row.set({ mode, isNewMode });
  }
}
