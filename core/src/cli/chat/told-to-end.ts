import type { Io } from "../../terminal/io.ts";

/** What a shell says of a program that one of these ended. */
const ENDED_BY = { SIGHUP: 129, SIGTERM: 143 } as const;

/** Calls `end` with the exit code when the system ends the chat. A second signal ends the process at once. */
export function untilToldToEnd(io: Io, end: (exit: number) => void): readonly Disposable[] {
  const signals = Object.entries(ENDED_BY).map(([signal, exit]) =>
    io.onSignal(signal as keyof typeof ENDED_BY, () => {
      for (const one of signals) one[Symbol.dispose]();
      end(exit);
    }),
  );
  return signals;
}
