import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { Io } from "../terminal/io.ts";

export interface TestTerminalOptions {
  readonly home: string;
  readonly workingDirectory: string;
  /** A person sits there; else input is piped and output is kept as it is. */
  readonly interactive?: boolean;
  /** Each line is written once, as for a screen reader. */
  readonly plain?: boolean;
  /** A shell pipes something in. */
  readonly piped?: boolean;
  /** How wide it is; 100 unless said. */
  readonly columns?: number;
}

/** A terminal for tests: what is typed comes from the test, and what is printed can be read. */
export interface TestTerminal {
  readonly io: Io;
  /** What was printed so far, without escape sequences. */
  stdout(): string;
  stderr(): string;
  /** The sequences that ask something of the terminal: its clipboard, its title, a notification. */
  sequences(): string[];
  /** Types a line. */
  type(line: string): void;
  /** Presses keys. */
  press(keys: string): void;
  /** Ctrl-D, or the end of what is piped in. */
  end(): void;
  signal(name: "SIGINT" | "SIGTERM"): void;
  /** Resolves once `text` was printed, to stdout or stderr. */
  printed(text: string): Promise<void>;
}

export function createTestTerminal({
  home,
  workingDirectory,
  interactive = false,
  plain = false,
  piped = false,
  columns = 100,
}: TestTerminalOptions): TestTerminal {
  const stdin = new PassThrough();
  const listeners = new Map<string, Set<() => void>>();
  const watchers = new Set<() => void>();
  const out = collector(watchers);
  const err = collector(watchers);
  return {
    io: {
      stdin,
      stdout: out.stream,
      stderr: err.stream,
      isInteractive: interactive,
      isPiped: piped,
      isScreen: interactive,
      draws: interactive && !plain,
      color: false,
      columns: () => columns,
      rows: () => 30,
      environment: { HERMES_HOME: home, PATH: process.env.PATH },
      workingDirectory,
      onSignal(signal, listener) {
        const set = listeners.get(signal) ?? new Set();
        listeners.set(signal, set.add(listener));
        return { [Symbol.dispose]: () => void set.delete(listener) };
      },
      onResize: () => ({ [Symbol.dispose]() {} }),
      interrupt() {
        for (const listener of listeners.get("SIGINT") ?? []) listener();
      },
      suspend() {},
    },
    stdout: out.text,
    stderr: err.text,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are sequences.
    sequences: () => out.raw().match(/\x1b\][^\x07]*\x07|(?<!\x1b\][^\x07]*)\x07/g) ?? [],
    type: (line) => void stdin.write(`${line}${interactive && !plain ? "\r" : "\n"}`),
    press: (keys) => void stdin.write(keys),
    end: () => void stdin.end(),
    signal: (name) => {
      for (const listener of listeners.get(name) ?? []) listener();
    },
    printed(text) {
      return new Promise((resolve) => {
        const look = () => {
          if (!out.text().includes(text) && !err.text().includes(text)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
  };
}

function collector(watchers: ReadonlySet<() => void>): { readonly stream: Writable; text(): string; raw(): string } {
  let raw = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      raw += String(chunk);
      for (const look of watchers) look();
      done();
    },
  });
  return { stream, text: () => stripVTControlCharacters(raw), raw: () => raw };
}
