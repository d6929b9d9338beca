import { fstatSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

/** What a command reads and writes. Tests bring their own. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** A person sits at both ends: questions can be asked. */
  readonly isInteractive: boolean;
  /** A shell feeds stdin by `|` or `<`. False where a program that started this one just holds it open. */
  readonly isPiped: boolean;
  /** stdout is a screen: answers are laid out and progress is drawn. Else they are passed on as they are. */
  readonly isScreen: boolean;
  /**
   * The screen is drawn on: rows at its foot change. Else (`TERM=dumb`, or `HERMES_PLAIN` for a screen reader) each line is
   * written once, and nothing but text.
   */
  readonly draws: boolean;
  /** Whether stdout and stderr show colours. */
  readonly color: boolean;
  /** Characters in a line of stdout. */
  columns(): number;
  /** Lines on the screen of stdout. */
  rows(): number;
  readonly environment: NodeJS.ProcessEnv;
  readonly workingDirectory: string;
  /** Calls `listener` instead of ending the process. */
  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGCONT", listener: () => void): Disposable;
  /** Calls `listener` whenever the screen has got another size. */
  onResize(listener: () => void): Disposable;
  /** Ends the process in a moment, though something that was begun still keeps it alive. */
  endSoon(): void;
  /** Stops this process with the rest of its job, as the system does for Ctrl-Z; returns when it goes on. */
  suspend(): void;
}

/** The process's own. Colours stop when the output is piped or NO_COLOR is set. */
export function processIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  // Whoever reads the output may stop reading: `hermes sessions | head`.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    // A terminal that was closed takes no more words.
    if (error.code === "EIO") return;
    stderr.write(`The output could not be written: ${error.message}.\n`);
    process.exit(1);
  });
  // Nor is there anybody to tell that; what a process does when its terminal is closed must not end it.
  stderr.on("error", () => {});
  const isPlain = env.TERM === "dumb" || (env.HERMES_PLAIN ?? "0") !== "0";
  return {
    stdin,
    stdout,
    stderr,
    isInteractive: stdin.isTTY === true && stdout.isTTY === true,
    isPiped: isFed(0),
    isScreen: stdout.isTTY === true,
    draws: stdout.isTTY === true && !isPlain,
    color: stdout.isTTY === true && !env.NO_COLOR && !isPlain,
    // A terminal that does not know its size says 0.
    columns: () => Math.max(20, stdout.columns || 80),
    rows: () => Math.max(5, stdout.rows || 24),
    environment: env,
    workingDirectory: process.cwd(),
    onSignal(signal, listener) {
      process.on(signal, listener);
      return { [Symbol.dispose]: () => void process.off(signal, listener) };
    },
    onResize(listener) {
      stdout.on("resize", listener);
      return { [Symbol.dispose]: () => void stdout.off("resize", listener) };
    },
    endSoon() {
      // What was printed gets out before.
      setTimeout(() => process.exit(), 500).unref();
    },
    suspend() {
      // The job is all that was started with this process, such as npm around it: the shell waits for each of them.
      if (process.platform !== "win32") process.kill(0, "SIGTSTP");
    },
  };
}

/** Whether a file or a shell's pipe is open there; other programs use sockets. */
function isFed(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFIFO() || stats.isFile();
  } catch {
    // It was closed before.
    return false;
  }
}
