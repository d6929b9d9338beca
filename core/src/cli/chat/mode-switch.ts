import { inject, Lifecycle, scoped } from "tsyringe";
import type { CommandContext } from "../../command/command.ts";
import { modeAt, setMode } from "../../command/mode.ts";
import type { Session, SessionMode } from "../../model/session.ts";
import { meaningOf, modeAfter } from "../../model/session-mode.ts";
import type { Output } from "../../terminal/output.ts";
import { StatusRow } from "./status-row.ts";
import { OUTPUT, PLACE } from "./tokens.ts";

/** The mode of the chat's session: shown below the input unless it is the default, and changed by Shift-Tab. */
@scoped(Lifecycle.ContainerScoped)
export class ModeSwitch {
  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(PLACE) readonly place: CommandContext,
    @inject(StatusRow) readonly row: StatusRow,
  ) {}

  /** Changes to the next mode. */
  async next(): Promise<void> {
    const mode = modeAfter(this.row.facts.mode);
    // Shown before it is kept, so that the key can be pressed twice.
    this.#draw(mode, true);
    await setMode(this.place, mode);
  }

  /** Shows the mode as it is now. */
  async show(): Promise<void> {
    this.#draw(await modeAt(this.place));
  }

  /** Says no more what the mode means: the person goes on. */
  settle(): void {
    this.row.set({ isNewMode: false });
  }

  /** Shows the mode of the session as it was just read; null where the next message begins one. */
  seen(session: Session | null): void {
    this.#draw(session?.mode ?? this.place.nextMode ?? "default");
  }

  #draw(mode: SessionMode, isNewMode = this.row.facts.isNewMode): void {
    const { io } = this.output;
    const isChanged = mode !== this.row.facts.mode;
    if (isChanged && io.isInteractive && !io.draws) this.output.note(`Mode ${mode}: ${meaningOf(mode)}.`);
    this.row.set({ mode, isNewMode });
  }
}
