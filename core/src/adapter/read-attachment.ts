import { type Clock, sleep } from "../base/clock.ts";
import { runWithin } from "../base/deadline.ts";
import { PlatformError, reasonOf } from "../base/errors.ts";
import { LARGEST_FILE } from "../base/file-ref.ts";
import type { Logger } from "../base/logger.ts";
import { parseRetryAfter } from "../base/retry-after.ts";
import { decodeText, isTextFile, LARGEST_TEXT_FILE, readResponseBody } from "./attachments.ts";
import type { Attachment } from "./message.ts";

/** What senders and platforms call pictures and PDFs. What a file is, its content says in the end. */
const MODEL_FILE_TYPE = /^(?:image\/(?:png|x-png|jpe?g|pjpeg|gif|webp)|application\/(?:x-)?pdf)\b/i;
const MODEL_FILE_NAME = /\.(?:png|jpe?g|jfif|gif|webp|pdf)$/i;

/** How many bytes of a file are worth a download, by what is said of it: 0 for what no model takes. */
function bytesWanted(file: Pick<Attachment, "name" | "mediaType" | "size">): number {
  if (isTextFile(file)) return LARGEST_TEXT_FILE;
  if (MODEL_FILE_TYPE.test(file.mediaType) || MODEL_FILE_NAME.test(file.name)) return LARGEST_FILE;
  return isTextFile({ ...file, size: 0 }) ? LARGEST_TEXT_FILE : 0;
}

/** Milliseconds until a file is given up: it delays the messages after it. */
const PATIENCE_MS = 15_000;

/** The slowest download of a larger file that is waited for, in bytes a millisecond; of an unknown size, the longest. */
const SLOWEST = 512;

/** How often a file is asked for, and how long after the first time where its server does not say, in milliseconds. */
const MOST_ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** A file that somebody sent, read as far as Hermes has use for it. */
export interface ReadAttachment {
  /** With its text, if it is a text file. It holds nothing but data. */
  readonly attachment: Attachment;
  /** The content of what may be a picture or a PDF. */
  readonly content: Uint8Array | null;
}

/**
 * Reads a file that a person sent. Asks again where that may help: after a rate limit, when its server has failed, when the
 * connection is lost. One that cannot be had is lost, and one that is too large is named with the limit. Rejects only as
 * `signal` aborts.
 */
export async function readAttachment(
  { download, largest = LARGEST_FILE, ...attachment }: Attachment,
  {
    clock,
    logger,
    signal,
  }: { readonly clock: Clock; readonly logger: Pick<Logger, "warn">; readonly signal?: AbortSignal },
): Promise<ReadAttachment> {
  const { name, size } = attachment;
  const wanted = bytesWanted(attachment);
  const most = Math.min(wanted, largest);
  const named = { attachment, content: null };
  if (most === 0 || download === undefined) return named;
  const tooLarge = { attachment: { ...attachment, limit: most }, content: null };
  if (size > most) return tooLarge;
  const isText = wanted === LARGEST_TEXT_FILE;
  const patience = PATIENCE_MS + (isText ? 0 : Math.ceil((size || most) / SLOWEST));
  const until = clock.steady().ms + patience;

  async function attempt(limited: AbortSignal, attempts = 1): Promise<Uint8Array | null> {
    try {
      const got = await download?.({ signal: limited, most });
      if (!(got instanceof Response)) return got ?? null;
      if (got.ok) return await readResponseBody(got, most);
      await got.body?.cancel();
      throw new Refused(got, clock.now());
    } catch (error) {
      const pause = limited.aborted || attempts === MOST_ATTEMPTS ? null : pauseAfter(error, attempts);
      if (pause === null || clock.steady().ms + pause >= until) throw error;
      await sleep(clock, pause, limited);
      return attempt(limited, attempts + 1);
    }
  }

  try {
    const late = new Error(`it did not come within ${Math.ceil(patience / 1_000)} s`);
    const content = await runWithin(clock, patience, signal ?? new AbortController().signal, attempt, late);
    if (content === null || content.length > most) return tooLarge;
    const whole = { ...attachment, size: content.length };
    if (!isText) return { attachment: whole, content };
    const text = decodeText(content);
    return text === null ? named : { attachment: { ...whole, text }, content: null };
  } catch (error) {
    signal?.throwIfAborted();
    // The message matters more than its file.
    logger.warn({ name, reason: reasonOf(error) }, "a file could not be had; its sender is told");
    return { attachment: { ...attachment, isLost: true }, content: null };
  }
}

/** An answer that is not the file. */
class Refused extends Error {
  readonly mayHelp: boolean;
  readonly retryAfterMs: number | null;

  constructor({ status, headers }: Response, now: number) {
    super(`its server answered ${status}`);
    this.mayHelp = status === 408 || status === 429 || status >= 500;
    this.retryAfterMs = parseRetryAfter(headers.get("retry-after"), now);
  }
}

const TRANSIENT: readonly string[] = ["PLATFORM_RATE_LIMITED", "PLATFORM_UNAVAILABLE", "PLATFORM_UNCERTAIN"];

/** Milliseconds after which to ask again; null where that does not help. What else is thrown may be a lost connection. */
function pauseAfter(error: unknown, attempts: number): number | null {
  const usual = attempts * PAUSE_MS;
  if (error instanceof Refused) return error.mayHelp ? (error.retryAfterMs ?? usual) : null;
  if (!(error instanceof PlatformError)) return usual;
  return TRANSIENT.includes(error.code) ? (error.retryAfterMs ?? usual) : null;
}
