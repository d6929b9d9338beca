import type { ChatKind, Conversation } from "@hermes/core";

export const PLATFORM = "slack";

/** `event_type` of the metadata on the roots of handoffs' threads, and on all other messages of ours. */
export const THREAD_METADATA = "hermes_thread";
export const MESSAGE_METADATA = "hermes_message";

/** Where a message is, in Slack's terms. */
export interface SlackPlace {
  readonly channel: string;
  readonly ts: string;
  /** Of a message in a thread: the thread's root. A root that has answers carries its own `ts` here. */
  readonly thread_ts?: string | undefined;
}

/**
 * Returns the conversation of a message: the rule that keys, replies, the "is writing" status and errors follow.
 *
 * - In a thread (`thread_ts` differs from `ts`): chat and thread. A thread that a handoff opened has the same two.
 * - At the top of a direct message: the direct message itself, so that the answer stands below it, not in a thread.
 * - At the top of a channel: the message may begin a thread, whose root it is (`beginsThread`). Outside the home channel
 *   it belongs to that thread, so that answers do not flood the channel; in the home channel, to the channel.
 *
 * A thread in a direct message that no handoff opened has one of its messages as root: the direct message's session
 * continues in it (`isBranch`).
 */
export function placeOf(
  { channel, ts, thread_ts: root }: SlackPlace,
  teamId: string,
): { readonly conversation: Conversation; readonly beginsThread?: string; readonly isBranch?: boolean } {
  const isInThread = root !== undefined && root !== ts;
  const conversation = conversationOf(channel, teamId, isInThread ? root : undefined);
  if (isInThread) return conversation.kind === "dm" ? { conversation, isBranch: true } : { conversation };
  return conversation.kind === "dm" ? { conversation } : { conversation, beginsThread: ts };
}

/** Always sets the scope, so that a handoff's binding and people's messages have the same key. */
export function conversationOf(channel: string, teamId: string, threadId?: string): Conversation {
  return {
    platform: PLATFORM,
    chatId: channel,
    kind: kindOf(channel),
    scope: teamId,
    ...(threadId === undefined ? {} : { threadId }),
  };
}

/** Whether a channel's id is that of a direct message: it begins with D. */
function kindOf(channel: string): ChatKind {
  return channel.startsWith("D") ? "dm" : "group";
}

/** A place for `CatchUp`: a channel, or a thread in it, whose messages the channel's history lacks. */
export function placeAt(channel: string, threadId?: string): string {
  return threadId === undefined ? channel : `${channel}/${threadId}`;
}

/** The channel of a place, and its thread. */
export function partsOf(place: string): { readonly channel: string; readonly threadId: string | undefined } {
  const [channel = "", threadId] = place.split("/");
  return { channel, threadId };
}

/** Whether the `ts` of one message is later than that of another. */
export function isAfter(a: string, b: string): boolean {
  return microseconds(a) > microseconds(b);
}

export function tsBefore(ts: string): string {
  return tsOf(microseconds(ts) - 1n);
}

/** The first `ts` of a moment, in milliseconds since 1970. */
export function tsAt(time: number): string {
  return tsOf(BigInt(Math.floor(time)) * 1_000n);
}

function microseconds(ts: string): bigint {
  const [seconds = "", fraction = ""] = ts.split(".");
  return BigInt(seconds || "0") * 1_000_000n + BigInt(fraction.padEnd(6, "0").slice(0, 6));
}

function tsOf(micros: bigint): string {
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, "0")}`;
}

/** A message's `ts` (`1766458026.240809`) is its id and its time. In milliseconds. */
export function timeOf(ts: string): number {
  return Math.round(Number(ts) * 1_000);
}
