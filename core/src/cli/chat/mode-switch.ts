import { modeAt, setMode } from "../../command/mode.ts";
import type { Session, SessionMode } from "../../model/session.ts";
import { meaningOf, modeAfter } from "../../model/session-mode.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import type { ChatPlace } from "./chat-place.ts";

/** The mode of the chat's session: shown below the input unless it is the default, and changed by Shift-Tab. */
export class ModeSwitch implements Disposable {
  readonly #output: Output;
  readonly #place: ChatPlace;
  #mode: SessionMode = "default";
  #region: Disposable | null = null;

  constructor(output: Output, place: ChatPlace) {
    this.#output = output;
    this.#place = place;
  }

  /** Changes to the next mode. */
  async next(): Promise<void> {
    const mode = modeAfter(this.#mode);
    // Shown before it is kept, so that the key can be pressed twice.
    this.#draw(mode);
    await setMode(this.#place, mode);
  }

  /** Shows the mode as it is now. */
  async show(): Promise<void> {
    this.#draw(await modeAt(this.#place));
  }

  /** Shows the mode of the session as it was just read; null where the next message begins one. */
  seen(session: Session | null): void {
    this.#draw(session?.mode ?? this.#place.nextMode);
  }

  [Symbol.dispose](): void {
    this.#region?.[Symbol.dispose]();
    this.#region = null;
  }

  #draw(mode: SessionMode): void {
    const { foot, io } = this.#output;
    const isChanged = mode !== this.#mode;
    this.#mode = mode;
    if (isChanged && io.isInteractive && !io.draws) this.#output.note(`Mode ${mode}: ${meaningOf(mode)}.`);
    if (mode === "default") this[Symbol.dispose]();
    else if (this.#region === null) this.#region = foot.place("mode", () => ({ rows: [this.#row()] }));
    else if (isChanged) foot.redraw();
  }

  #row(): string {
    const { cyan, dim } = this.#output.colors;
    return styled`${cyan(this.#mode)}${dim(` · Shift-Tab changes it · ${meaningOf(this.#mode)}`)}`.ansi;
  }
}
