import type { ProcessProbe } from "../base/process-identity.ts";
import { count } from "../base/text.ts";
import type { HeldLease, LeaseSubject } from "../model/held-lease.ts";
import { accountName } from "../model/identity.ts";
import type { SessionId } from "../model/session.ts";
import type { DocumentParts } from "./document-parts.ts";
import { holderDocument } from "./holder-document.ts";

export type LeaseDocument = ReturnType<typeof leaseDocument>;

/** Who holds what, and until when: `hermes leases --json`. */
export async function leasesDocument({ store, clock, probe }: DocumentParts) {
  const leases = await store.overview.leases();
  const titles = new Map<SessionId, string | null>();
  for (const { of } of leases) {
    const id = sessionOf(of);
    if (id !== null && !titles.has(id)) titles.set(id, (await store.sessions.get(id))?.title ?? null);
  }
  return { leases: leases.map((lease) => leaseDocument(lease, titles, probe, clock.now())) };
}

function leaseDocument(
  { of, holder, since, until, isLive }: HeldLease,
  titles: ReadonlyMap<SessionId, string | null>,
  probe: ProcessProbe,
  now: number,
) {
  const sessionId = sessionOf(of);
  const title = sessionId === null ? null : (titles.get(sessionId) ?? null);
  return {
    ...{ kind: of.kind, name: nameOf(of), platform: "platform" in of ? of.platform : null },
    ...{ account: of.kind === "account" ? (of.account ?? null) : null, sessionId, title },
    ...{ turnId: of.kind === "turn" ? of.turnId : null, handoffId: of.kind === "handoff" ? of.handoffId : null },
    ...{ holder: holderDocument(holder, probe), since, ageMs: since === null ? null : Math.max(0, now - since) },
    until,
    isLive,
  };
}

function sessionOf(of: LeaseSubject): SessionId | null {
  return "sessionId" in of ? of.sessionId : null;
}

/** What is held, without the session's title. */
function nameOf(of: LeaseSubject): string {
  switch (of.kind) {
    case "account":
      return accountName(of);
    case "turn":
      return "a turn";
    case "handoff":
      return `a handoff to ${of.platform}`;
    case "view":
      return of.surface === "terminal" ? "a view in the terminal" : "a view on a page";
    case "typed-lines":
      return count(of.count, "typed line");
    case "other":
      return of.name;
  }
}
