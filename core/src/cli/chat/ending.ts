import { inject, Lifecycle, scoped } from "tsyringe";
import type { Output } from "../../terminal/output.ts";
import { reportError } from "../report-error.ts";
import { OUTPUT } from "./tokens.ts";

/** Whether a chat ends before its next line, and what its process ends with. */
@scoped(Lifecycle.ContainerScoped)
export class Ending {
  #isLeaving = false;
  #toldTo: number | null = null;
  #failures = 0;

  constructor(@inject(OUTPUT) readonly output: Output) {}

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** What the process ends with where the system told it to end; null where it did not. */
  get toldTo(): number | null {
    return this.#toldTo;
  }

  /** How many things that were asked for failed. */
  get failures(): number {
    return this.#failures;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  /** The system tells the process to end with this code. */
  tell(code: number): void {
    this.#toldTo = code;
    this.leave();
  }

  /** Does what may fail, and tells the person so. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failures += 1;
      await reportError(this.output, error);
    }
  }
}
