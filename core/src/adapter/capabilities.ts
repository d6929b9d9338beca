/**
 * Facts about a platform, as its adapter claims and the conformance kit proves. What else an adapter is able to do shows
 * in the members that it has: `typing`, `findThread`, `findSent`, `deleteThread`, `choices`.
 */
export interface Capabilities {
  /** `createHandoffThread` can open a thread. */
  readonly threads: boolean;
  /** A sent message can be changed, at most once in `minIntervalMs`. False: answers arrive whole. */
  readonly edits: false | { readonly minIntervalMs: number };
  /** A text file can be sent along. */
  readonly files: boolean;
  /** The longest text of one message, counted after formatting. */
  readonly textLimit: { readonly length: number; readonly unit: "utf16" | "codepoints" | "bytes" };
  /** The same `key` twice gives one message. */
  readonly idempotentSend: boolean;
  /** The platform may refuse a message after it took it. */
  readonly lateRefusal: boolean;
  /** Wants to show what is said in a session at other places (`echo` messages). Chat platforms do not. */
  readonly mirrors: boolean;
}

/** The least a platform can do: take text. Adapters spread it and claim more. */
export const PLAIN_TEXT_ONLY: Capabilities = {
  threads: false,
  edits: false,
  files: false,
  textLimit: { length: 4096, unit: "utf16" },
  idempotentSend: false,
  lateRefusal: false,
  mirrors: false,
};

/** How an adapter is doing. */
export interface AdapterHealth {
  /** `up`: sends and receives. `degraded`: one of the two does not work. `down`: neither does. */
  readonly state: "starting" | "up" | "degraded" | "down";
  /** One sentence for people, when it is not `up`; or what they are to know although it is. */
  readonly detail?: string | undefined;
  /** Where people reach the platform, when that is this process's to say: the address of a page. Holds no secret. */
  readonly address?: string | undefined;
}
