import { fstatSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

/** The input and output of a command. Tests provide their own. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Whether stdin and stdout are both terminals, so that a person can be asked questions. */
  readonly isInteractive: boolean;
  /** Whether a shell feeds stdin by `|` or `<`. False if the parent process merely holds it open. */
  readonly isPiped: boolean;
  /** Whether stdout is a screen: then answers are laid out and progress is drawn; otherwise they are passed on as is. */
  readonly isScreen: boolean;
  /**
   * Whether rows at the foot of the screen are redrawn. Otherwise (`TERM=dumb`, or `HERMES_PLAIN` for a screen reader)
   * each line is written once, as plain text.
   */
  readonly draws: boolean;
  /** Whether stdout and stderr show colours. */
  readonly color: boolean;
  /** The width of stdout, in columns. */
  columns(): number;
  /** The height of stdout, in rows. */
  rows(): number;
  readonly environment: NodeJS.ProcessEnv;
  readonly workingDirectory: string;
  /** How a person calls Hermes here, such as `npx hermes`; `hermes` by default. */
  hermesCall?(): string;
  /** Calls `listener` instead of ending the process. */
  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGCONT", listener: () => void): Disposable;
  /** Calls `listener` when the process exits, in whatever way it still can say something. */
  onExit?(listener: () => void): Disposable;
  /** Calls `listener` whenever the size of the screen changes. */
  onResize(listener: () => void): Disposable;
  /** Interrupts this process and the rest of its job, like Ctrl-C. */
  interrupt(): void;
  /** Suspends this process with the rest of its job, like Ctrl-Z; returns when it continues. */
  suspend(): void;
}

/** Whether a terminal, or the screen reader of a person, takes each line once and without signs. */
export function wantsPlainText({ TERM, HERMES_PLAIN = "0" }: NodeJS.ProcessEnv): boolean {
  return TERM === "dumb" || HERMES_PLAIN !== "0";
}

/** The process's own input and output. Without colours when the output is piped or NO_COLOR is set. */
export function processIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  // The reader of a pipe may close it early: `hermes sessions | head`.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    // The terminal was closed.
    if (error.code === "EIO") return;
    stderr.write(`The output could not be written: ${error.message}.\n`);
    process.exit(1);
  });
  // Ignored: what a process writes after its terminal was closed must not end it.
  stderr.on("error", () => {});
  const isPlain = wantsPlainText(env);
  return {
    stdin,
    stdout,
    stderr,
    isInteractive: stdin.isTTY === true && stdout.isTTY === true,
    isPiped: isFed(0),
    isScreen: stdout.isTTY === true,
    draws: stdout.isTTY === true && !isPlain,
    color: stdout.isTTY === true && !env.NO_COLOR && !isPlain,
    // A terminal that does not know its size reports 0.
    columns: () => Math.max(20, stdout.columns || 80),
    rows: () => Math.max(5, stdout.rows || 24),
    environment: env,
    workingDirectory: process.cwd(),
    onSignal(signal, listener) {
      process.on(signal, listener);
      return { [Symbol.dispose]: () => void process.off(signal, listener) };
    },
    onExit(listener) {
      process.on("exit", listener);
      return { [Symbol.dispose]: () => void process.off("exit", listener) };
    },
    onResize(listener) {
      stdout.on("resize", listener);
      return { [Symbol.dispose]: () => void stdout.off("resize", listener) };
    },
    interrupt() {
      process.kill(process.platform === "win32" ? process.pid : 0, "SIGINT");
    },
    suspend() {
      // The whole process group, such as npm around this process: the shell waits for each process in it.
      if (process.platform !== "win32") process.kill(0, "SIGTSTP");
    },
  };
}

/** Whether the descriptor is a file or a shell's pipe; other programs use sockets. */
function isFed(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isFIFO() || stats.isFile();
  } catch {
    // The descriptor is closed.
    return false;
  }
}
