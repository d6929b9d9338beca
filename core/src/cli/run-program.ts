import { execFile } from "node:child_process";

/** How long a program may take unless it is said, in milliseconds: a service stops when what runs has ended. */
const PATIENCE_MS = 120_000;

export interface ProgramResult {
  /** Null where the program is not there, or was given up on. */
  readonly code: number | null;
  readonly stdout: string;
  /** What it said, or why it could not be run. */
  readonly reason: string;
}

interface ProgramOptions {
  readonly timeoutMs?: number;
  readonly folder?: string;
  /** Ends the program. */
  readonly signal?: AbortSignal;
}

/** Runs a program with words that no shell sees. */
export function runProgram(
  [program, ...words]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
  { timeoutMs = PATIENCE_MS, folder, signal }: ProgramOptions = {},
): Promise<ProgramResult> {
  const options = { env: environment, timeout: timeoutMs, cwd: folder, signal };
  return new Promise((resolve) => {
    execFile(program, words, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
      const isMissing = (error as NodeJS.ErrnoException | null)?.code === "ENOENT";
      const said = [stderr, stdout].map((text) => text.trim().split("\n").at(-1) ?? "").find((text) => text !== "");
      resolve({ code, stdout, reason: isMissing ? `there is no ${program} here` : (said ?? error?.message ?? "") });
    });
  });
}
