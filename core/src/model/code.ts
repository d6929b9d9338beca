import { randomBytes } from "node:crypto";
import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { IdentityScope } from "./identity.ts";
import type { NewOutboxEntry } from "./outbox.ts";
import type { SessionId, UserId } from "./session.ts";

/**
 * What a code is for: a `link` says that an identity is a person's; by a `pairing` a newcomer is told apart when the
 * operator lets them in; a `pass` gives one session.
 */
export type CodeKind = "link" | "pairing" | "pass";

/**
 * `open`: nobody has used it. `taken`: a link's was sent, and the terminal is to say whether that was the person; a pass
 * is in use. `done`, `refused`: what the operator said. `over`: of a pass, whose conversation leads elsewhere by now.
 */
export type CodeState = "open" | "taken" | "done" | "refused" | "revoked" | "expired" | "over";

/** How long codes are valid unless said otherwise, in milliseconds. */
export const CODE_LASTS_MS: Readonly<Record<CodeKind, number>> = {
  link: 10 * 60_000,
  pairing: 24 * 60 * 60_000,
  pass: 60 * 60_000,
};

/** How long a link's code that was sent waits for the answer of the terminal, in milliseconds. */
export const CLAIM_LASTS_MS = 30 * 60_000;

/** Who sent a code, or asked for one, and where. */
export interface CodeSender extends IdentityScope {
  /** What stays of them whatever ids come and go: the key of a known person, else the id. */
  readonly key: string;
  readonly id: string;
  readonly name: string | null;
  readonly conversation: Conversation;
  readonly surface: SessionKey;
}

/** What is kept of a code, which is everything but the code itself. */
export interface Code {
  /** By which people name it: the code itself is shown once. */
  readonly number: number;
  readonly kind: CodeKind;
  readonly state: CodeState;
  /** Who made it; null where a stranger's message did. */
  readonly issuer: UserId | null;
  /** Of a link: whose identity it will be. Of a pass: for whom it is; null for whoever sends it first. */
  readonly person: UserId | null;
  /** The session that a pass gives. */
  readonly sessionId: SessionId | null;
  /** Of a pairing, and of a link that a chat asked for: who asked. Of others: who sent it. */
  readonly who: CodeSender | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface NewCode extends Pick<Code, "kind" | "person" | "sessionId" | "who"> {
  /** As {@link newCode} makes it. */
  readonly code: string;
  readonly issuer: UserId;
  readonly ttlMs: number;
}

/** Somebody on a platform sends a code. */
export interface RedeemCode {
  /** As {@link readCode} returns it. */
  readonly code: string;
  readonly who: CodeSender;
  /** Who they are to Hermes; null for a stranger, and for a guest. */
  readonly user: UserId | null;
  /** The message that holds the code: one that the platform hands over again uses it once. */
  readonly messageId: string;
  /** Of the adapter, for the binding that a pass makes. */
  readonly mirrors: boolean;
  /** Queued in the same step where the code is valid. */
  readonly outbox: readonly NewOutboxEntry[];
}

/**
 * What came of a code that was sent. `silenced`: too many wrong ones came from that identity. `slow`: many wrong ones came
 * on that account, and one lately from that identity. Neither was looked up.
 */
export type Redemption =
  | { readonly ok: true; readonly code: Code; readonly isAgain: boolean }
  | { readonly ok: false; readonly reason: CodeRefusal };

export type CodeRefusal = "unknown" | "used" | "expired" | "revoked" | "not-theirs" | "silenced" | "slow";

/** Digits and letters but I, L, O and U, which look like others. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const LENGTH = 8;

/** Eight characters, with or without a dash or a space in the middle. */
const WRITTEN = /^([0-9a-z]{4})([-\u2010-\u2015\u2212 ]?)([0-9a-z]{4})$/i;

/** What may stand around a code that was copied, or is written as code. */
const FRAME = /^[\s`*"'“”]+|[\s`*"'“”]+$/g;

/** Makes a code that nobody can guess: 40 random bits. It holds a digit and a letter, which few words do. */
export function newCode(): string {
  for (;;) {
    const code = [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
    if (isLikeCode(code)) return code;
  }
}

/** As people see it: `K7QM-2XWD`. */
export function shownCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Reads a text that is a code and nothing else, in any case, with look-alikes for what they look like; else null. */
export function readCode(text: string): string | null {
  const match = WRITTEN.exec(text.normalize("NFKC").replaceAll(FRAME, ""));
  const written = match && `${match[1]}${match[3]}`.toUpperCase();
  if (written === null || !isLikeCode(written)) return null;
  return written.replaceAll(/[IL]/g, "1").replaceAll("O", "0").replaceAll("U", "V");
}

/** Whether a text is written as Hermes shows codes, with the dash. */
export function isShownAsCode(text: string): boolean {
  return readCode(text) !== null && /[^0-9a-z]/i.test(text.normalize("NFKC").replaceAll(FRAME, ""));
}

/** Finds the code in a message that is one, or a command that takes one: `/link K7QM-2XWD`. */
export function codeIn(text: string): string | null {
  const command = /^[/!](?:link|continue)(?:@[\w.-]+)?\s+(.*)$/is.exec(text.trim());
  return readCode(command?.[1] ?? text);
}

/** Digits and letters that nothing is mistaken for. */
function isLikeCode(text: string): boolean {
  return /[2-9]/.test(text) && /[A-HJKMNP-Z]/i.test(text);
}
