import { randomBytes } from "node:crypto";
import type { OutboundMessage } from "../adapter/message.ts";
import type { Branded } from "../base/brand.ts";
import type { NewOutboxEntry } from "./outbox.ts";
import type { SessionId, Surface, UserId } from "./session.ts";
import type { TurnId } from "./turn.ts";

/** At least 80 random bits. */
export type AskId = Branded<"AskId">;

/** A question to a person with choices that is no approval: whether to go on with a session here, or to let somebody in. */
export interface Ask {
  readonly id: AskId;
  readonly kind: "offer" | "pairing";
  readonly state: AskState;
  /** Who is asked. */
  readonly person: UserId;
  /** Where the question was put first: an offer goes on with its session there. */
  readonly surface: Surface;
  /** Of an offer: the session to go on with. */
  readonly sessionId: SessionId | null;
  /** Of an offer: the session in which the person has begun to write there. */
  readonly fresh: SessionId | null;
  /** The question, with its choices. */
  readonly message: OutboundMessage;
  /** Markdown: what the question becomes when it is over. */
  readonly outcomes: Readonly<Record<Exclude<AskState, "open">, string>>;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export type AskState = "open" | "taken" | "declined" | "expired";

export interface NewAsk extends Pick<Ask, "id" | "kind" | "person" | "sessionId" | "message" | "outcomes"> {
  /** The places at which the question is queued; an offer has one, or the terminal, which shows it itself. */
  readonly at: readonly [AskPlace | "terminal", ...AskPlace[]];
  readonly fresh?: SessionId | null | undefined;
  readonly ttlMs: number;
}

/** A place at which something is asked. */
export type AskPlace = Pick<NewOutboxEntry, "key" | "conversation">;

export type AskVerb = "take" | "decline";

export function newAskId(): AskId {
  return randomBytes(16).toString("base64url") as AskId;
}

export function askChoiceId(id: AskId, verb: AskVerb): string {
  return `${verb}:${id}`;
}

/** Null for what is no choice of an ask. */
export function readAskChoice(choiceId: string): { readonly id: AskId; readonly verb: AskVerb } | null {
  const [, verb, id] = /^(take|decline):([\w-]{16,60})$/.exec(choiceId) ?? [];
  return verb === undefined || id === undefined ? null : { id: id as AskId, verb: verb as AskVerb };
}

/** What a question becomes when it is over. */
export function closedAsk({ state, outcomes, message }: Pick<Ask, "state" | "outcomes" | "message">): OutboundMessage {
  return { kind: "question", markdown: state === "open" ? message.markdown : outcomes[state] };
}

/** The first answer counts; later callers are told what it was. */
export type AskResult = { readonly state: "decided" | "over"; readonly ask: Ask } | { readonly state: "unknown" };

/** See `AskStore.takeAlong`. */
export type TakeAlongResult =
  /** `turnId`: the turn that answers there; null where a tool had run, or nothing was written: only the place was bound. */
  | { readonly state: "taken"; readonly ask: Ask; readonly turnId: TurnId | null }
  /** A turn still answers what was written: the step in which it ends takes it along. */
  | { readonly state: "waits"; readonly ask: Ask }
  | { readonly state: "refused"; readonly ask: Ask; readonly reason: TakeAlongRefusal }
  | { readonly state: "over"; readonly ask: Ask }
  | { readonly state: "unknown" };

/**
 * `at-work`: a turn of the session is open. `asked`: what was written waits for an answer of people. `handed-off`: one of
 * both is being handed off. `elsewhere`: the place leads to another session by now.
 */
export type TakeAlongRefusal = "at-work" | "asked" | "handed-off" | "elsewhere";
