import { shownFromStored } from "../base/shown-error.ts";
import { ageText, count } from "../base/text.ts";
import { accountName } from "../model/identity.ts";
import { type Lane, type LaneWaitsFor, laneWaitsFor } from "../model/lane.ts";
import { nameOfPlace } from "../store/look-up-place.ts";
import type { DocumentParts } from "./document-parts.ts";
import { holderDocument } from "./holder-document.ts";

export type LaneDocument = Awaited<ReturnType<typeof laneDocument>>;

/** The conversations in which messages wait, those that have waited longest first: `hermes lanes --json`. */
export async function lanesDocument(parts: DocumentParts, page: { readonly limit: number; readonly offset?: number }) {
  const { lanes, total } = await parts.store.overview.lanes(page);
  return { lanes: await Promise.all(lanes.map((lane) => laneDocument(parts, lane))), total };
}

async function laneDocument({ store, clock, probe }: DocumentParts, lane: Lane) {
  const { key, conversation, sessionId, inbound, outbound, holder } = lane;
  const { platform, account, chatId, threadId } = conversation;
  const session = sessionId === null ? null : await store.sessions.get(sessionId);
  const waitsFor = laneWaitsFor(lane, clock.now());
  return {
    ...{ key, platform, account: account ?? null, chatId, threadId: threadId ?? null },
    ...{ place: await nameOfPlace(store, lane), sessionId, title: session?.title ?? null },
    in: inbound && { count: inbound.count, oldestAt: inbound.oldestAt },
    out: outbound && { count: outbound.count, oldestAt: outbound.oldestAt },
    ...{ holder: holder && holderDocument(holder, probe), waitsFor, because: reasonOf(lane, waitsFor, clock.now()) },
    retryAt: waitsFor === "retry" ? (outbound?.dueAt ?? null) : null,
    error: outbound?.error ? shownFromStored(outbound.error, null) : null,
  };
}

/** Such as `2 in (oldest 3 min), 1 out (oldest 4 s)`. */
export function waitingWords({ in: inbound, out: outbound }: LaneDocument, now: number): string {
  const side = (waiting: LaneDocument["in"], way: string) =>
    waiting === null
      ? []
      : [`${count(waiting.count, "message")} ${way}, the oldest for ${ageText(now - waiting.oldestAt)}`];
  return [...side(inbound, "in"), ...side(outbound, "out")].join("; ");
}

/** What a lane waits for, as a sentence. */
function reasonOf({ conversation, outbound }: Lane, waitsFor: LaneWaitsFor, now: number): string {
  const { platform, account } = conversation;
  switch (waitsFor) {
    case "gateway":
      return `No gateway serves ${accountName({ platform, account })}: \`hermes gateway\` starts one.`;
    case "approval":
    case "question":
      return "The agent has asked something: `hermes approvals` lists it.";
    case "handoff":
      return "Its session is being handed off: `hermes handoffs`.";
    case "answer":
      return "It is being answered.";
    case "turn":
      return "A turn of its session runs at another place.";
    case "retry":
      return `It could not be sent, and is tried again in ${ageText((outbound?.dueAt ?? now) - now)}.`;
    case "send":
      return "It is being sent.";
    case "next":
      return "It is next.";
  }
}
