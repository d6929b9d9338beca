import type { Interface } from "node:readline";
import type { Readable } from "node:stream";
import type { Io } from "./io.ts";

export interface SuspendedTerminal {
  /** Where the keys come from. */
  readonly keys: Readable & { setRawMode?(isRaw: boolean): unknown };
  /** Leaves the screen as a shell expects it. */
  release?(): void;
  /** Draws what stood there. */
  retake(): void;
}

/**
 * Lets Ctrl-Z stop the program that reads keys with `reader`, and lets it go on where it was. A shell that has the
 * terminal meanwhile leaves its own mode behind, in which keys wait for Enter and Ctrl-C reaches nobody.
 */
export function survivesSuspension(
  io: Io,
  reader: Interface,
  { keys, release, retake }: SuspendedTerminal,
): Disposable {
  let isOver = false;
  const takeAgain = () => {
    if (isOver) return;
    // Off first: a mode that Node believes to be set is not set again.
    keys.setRawMode?.(false);
    keys.setRawMode?.(true);
    retake();
  };
  reader.on("SIGTSTP", () => {
    release?.();
    keys.setRawMode?.(false);
    io.suspend();
    // Where nobody controls jobs the process was not stopped, and no signal follows.
    takeAgain();
  });
  // Of somebody else's SIGSTOP or SIGTSTP, too. After `bg` the terminal is not to be had, and the system stops the job.
  const going = io.onSignal("SIGCONT", takeAgain);
  return {
    [Symbol.dispose]() {
      isOver = true;
      going[Symbol.dispose]();
    },
  };
}
