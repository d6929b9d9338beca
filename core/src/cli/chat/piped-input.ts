import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import { LARGEST_TEXT_FILE } from "../../adapter/attachments.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import type { Io } from "../../terminal/io.ts";
import type { Output } from "../../terminal/output.ts";

/** How long the first of what is piped in is waited for, in milliseconds: some programs leave the pipe open for ever. */
const FIRST_WITHIN_MS = 3_000;

/**
 * The question of `hermes chat -q`, with what a shell pipes in below it; of `-q -`, what is piped or typed in alone.
 * Throws USAGE when that is empty, no text, or longer than 256 KiB.
 */
export async function withPipedInput(query: string, io: Io, output: Output, clock: Clock): Promise<string> {
  if (query.trim() === "-") return checked(await readAll(io));
  if (!io.isPiped) return checked(query);
  const waiting = new AbortController();
  const first = once(io.stdin, "readable").then(() => true);
  const tooLate = sleep(clock, FIRST_WITHIN_MS, waiting.signal).then(() => false);
  const hasBegun = await Promise.race([first, tooLate]);
  waiting.abort();
  if (!hasBegun) {
    output.note(`Nothing was piped in within ${FIRST_WITHIN_MS / 1_000} s; the question is asked as it is.`);
    io.stdin.destroy();
    return checked(query);
  }
  const piped = await readAll(io);
  return checked(piped.trim() === "" ? query : `${query}\n\n${piped}`);
}

async function readAll({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > LARGEST_TEXT_FILE) throw usage(`What is piped in is longer than ${LARGEST_TEXT_FILE / 1024} KiB`);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes) || bytes.includes(0)) throw usage("What is piped in is no text in UTF-8");
  return bytes.toString().trimEnd();
}

function checked(message: string): string {
  if (message.trim() === "") throw usage("The message is empty");
  return message;
}

function usage(reason: string): HermesError {
  return new HermesError("USAGE", { reason, command: "hermes chat" });
}
