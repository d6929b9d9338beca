/**
 * Facts about a platform that its adapter claims and the conformance kit proves. Optional abilities are not listed here:
 * an adapter has one if it implements `typing`, `findThread`, `findSent`, `deleteThread`, `deleteMessage` or `choices`.
 */
export interface Capabilities {
  /**
   * `createHandoffThread` can open a thread. `begun-by-message`: a thread is there with its first message, as where it is a
   * topic's name. `createHandoffThread` then only chooses a name that is not taken, so nothing empty is left behind.
   */
  readonly threads: boolean | "begun-by-message";
  /**
   * A sent message can be edited, at most once per `minIntervalMs`. False: answers are not streamed. `forMs`: how long
   * after it was sent, if not for ever: an answer stops growing in time, and `edit` throws PLATFORM_REJECTED for one
   * that is too old, so that the rest comes as a new message.
   */
  readonly edits: false | { readonly minIntervalMs: number; readonly forMs?: number | undefined };
  /** Files can be sent, of up to `largest` bytes. */
  readonly files: false | { readonly largest: number };
  /** Longest text of one message, counted after formatting. */
  readonly textLimit: { readonly length: number; readonly unit: "utf16" | "codepoints" | "bytes" };
  /** Sends are idempotent: the same `key` twice gives one message. */
  readonly idempotentSend: boolean;
  /** The platform may refuse a message after it accepted it. */
  readonly lateRefusal: boolean;
  /** Shows what is said in a session elsewhere (gets `echo` messages). Chat platforms do not. */
  readonly mirrors: boolean;
}

/** Minimal capabilities: the platform takes text. Adapters spread it and claim more. */
export const PLAIN_TEXT_ONLY: Capabilities = {
  threads: false,
  edits: false,
  files: false,
  textLimit: { length: 4096, unit: "utf16" },
  idempotentSend: false,
  lateRefusal: false,
  mirrors: false,
};

/** The health of an adapter. */
export interface AdapterHealth {
  /** `up`: sends and receives. `degraded`: one of the two does not work. `down`: neither does. */
  readonly state: "starting" | "up" | "degraded" | "down";
  /** One sentence for people: what is wrong, or a warning while it is `up`. */
  readonly detail?: string | undefined;
  /** Address of the page, if this process serves one. Holds no secret. */
  readonly address?: string | undefined;
}
