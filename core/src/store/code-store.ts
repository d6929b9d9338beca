import type { SessionKey } from "../adapter/session-key.ts";
import type { Code, CodeKind, CodeSender, NewCode, RedeemCode, Redemption } from "../model/code.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { UserId } from "../model/session.ts";

/**
 * Stores link codes, pairing codes and passes, as hashes. Each call is atomic, and a code is used once, by the first who
 * sends it. Wrong codes are counted by identity and account; see {@link MOST_WRONG_CODES}.
 */
export interface CodeStore {
  create(code: NewCode): Promise<Code>;
  /**
   * Keeps that a stranger asked to be let in, and queues what answers them. Null, and nothing is written, where they were
   * answered within the lifetime of a code, or were denied in the last 30 days. Of more than {@link MOST_REQUESTS} open
   * ones of an account the oldest is dropped.
   */
  requestPairing(request: PairingRequest): Promise<Code | null>;
  /** Finds a code by what somebody typed in the terminal, used or not. Counts nothing. */
  find(code: string): Promise<Code | null>;
  /** The same by its number. */
  get(number: number): Promise<Code | null>;
  /**
   * The pass by which a conversation leads to its session; null where none does, or whoever gave it may give no sessions
   * at this moment: they are no operator any more, by their role or by the config of an account that is served.
   */
  passAt(key: SessionKey): Promise<Code | null>;
  /** Lists the codes of a kind that are open or taken, the oldest first. */
  list(kind: CodeKind): Promise<Code[]>;
  /**
   * Uses a code that somebody sent on a platform. A pass of somebody who may give no sessions now is refused; another
   * binds the conversation to its session in the same step. Throws HANDOFF_IN_FLIGHT, and SESSION_UNKNOWN; then it can
   * be used later.
   */
  redeem(request: RedeemCode): Promise<Redemption>;
  /** Uses a pass, or a code that a chat asked for, in the terminal. False where somebody else used it, or it is over. */
  take(number: number): Promise<boolean>;
  /**
   * Records what the operator said about a link or a pairing, and queues what tells those concerned. False, and nothing
   * is written, where that was said before or the time is over. With `person`, whoever sent the code or asked for it is
   * linked to that person in the same step; false, too, where they are somebody else's. A newcomer becomes a person of
   * that name in the step, with a number where somebody has it, unless they are one already. Throws PERSON_NAME_INVALID.
   */
  settle(
    number: number,
    state: "done" | "refused",
    outbox?: readonly NewOutboxEntry[],
    person?: UserId | Newcomer | null,
  ): Promise<boolean>;
  /**
   * Ends a code. Where a pass is in use, its conversation leads to the session no more. False where it was over.
   */
  revoke(number: number): Promise<boolean>;
}

/** Somebody who becomes a person, as a member. */
export interface Newcomer {
  readonly name: string;
}

export interface PairingRequest {
  /** As {@link newCode} makes it. */
  readonly code: string;
  readonly who: CodeSender;
  readonly ttlMs: number;
  readonly outbox: readonly NewOutboxEntry[];
}

/** So many wrong codes of one identity are looked up; then none for {@link SILENT_MS}. */
export const MOST_WRONG_CODES = 5;

/** How long an identity that sent too many wrong codes is not heard, and how long wrong codes count. In milliseconds. */
export const SILENT_MS = 60 * 60_000;

/** So many wrong codes on one account delay nobody. */
export const FREE_ON_ACCOUNT = 20;

/** How long an identity that sent a wrong code waits where its account gets many: it doubles with each, up to the last. */
export const ACCOUNT_DELAY = { firstMs: 1_000, lastMs: 60_000 };

/** The most open requests of strangers on one account. */
export const MOST_REQUESTS = 20;

/** How long a newcomer who was denied gets no answer, in milliseconds. */
export const DENIED_MS = 30 * 24 * 60 * 60_000;
