import type { Context } from "hono";
import type { ErrorAnswer } from "./wire/thread.ts";

/** The server's refusals: a status, and a sentence for a person. */
const REFUSALS = {
  NOT_SIGNED_IN: [401, "This browser is not signed in. Run `hermes web open` for a link."],
  LINK_USED: [403, "This link was used or is too old; run `hermes web open` for a new one."],
  WRONG_ORIGIN: [403, "This request came from another page and was refused."],
  NOT_OPERATOR: [403, "Only the operator can see this. `hermes home` in the terminal shows who that is."],
  NOT_ALLOWED: [403, "You may see no sessions here. `/whoami` shows who you are to Hermes."],
  SESSION_GONE: [410, "There is no such session any more that you may see."],
  UNKNOWN: [404, "There is no such thing any more."],
  CONFLICT: [409, "That is not possible now."],
  NOT_FOUND: [404, "There is nothing here."],
  THREAD_GONE: [410, "This thread is gone. The session it showed can be resumed in the terminal."],
  MESSAGE_GONE: [410, "This message is gone."],
  ID_TAKEN: [409, "There is another message under this id."],
  TOO_LARGE: [413, "This message is too long to be sent."],
  FILE_TOO_LARGE: [413, "This file is larger than 25 MB."],
  FILE_NOT_TAKEN: [415, "Only pictures (PNG, JPEG, GIF, WebP), PDFs and texts are taken here."],
  NOT_SEEN: [410, "This is not to be seen here any more."],
  FILE_GONE: [410, "The file waited too long to be sent. Attach it again."],
  NOT_KEPT: [410, "This file is not kept here any more."],
  NOT_JSON: [415, "Only JSON is taken here."],
  INVALID: [422, "This request is not understood."],
  TOO_MANY: [429, "That was a lot at once. Wait a moment."],
  BUSY: [503, "Hermes is busy. Try again in a moment."],
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** A refusal, thrown by a route and sent as its answer. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  /** Seconds, for `Retry-After`. */
  readonly retryAfter: number | null;

  /** `text`: a sentence of Hermes itself, instead of the one that belongs to the code. */
  constructor(code: RefusalCode, retryAfter: number | null = null, text: string = REFUSALS[code][1]) {
    super(text);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export function answerRefusal(c: Context, refusal: Refusal): Response {
  if (refusal.retryAfter !== null) c.header("Retry-After", String(refusal.retryAfter));
  const body: ErrorAnswer = { error: { code: refusal.code, text: refusal.message } };
  return c.json(body, REFUSALS[refusal.code][0]);
}
