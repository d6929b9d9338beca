import type { SessionId } from "../model/session.ts";
import type { ConfiguredPlugin } from "../plugin/configured-plugin.ts";
import type { OverviewDocument, OverviewQuery } from "../plugin/operator-overview.ts";
import { approvalsDocument } from "./approvals.ts";
import { deliveriesDocument } from "./deliveries.ts";
import type { DocumentParts } from "./document-parts.ts";
import { handoffsDocument } from "./handoffs.ts";
import { lanesDocument } from "./lanes.ts";
import { leasesDocument } from "./leases.ts";
import { requestsDocument } from "./newcomers.ts";
import { passesDocument } from "./passes.ts";
import { peopleDocument } from "./people.ts";
import { placesDocument } from "./places.ts";
import { sessionsDocument, whereDocument } from "./sessions.ts";
import { readStatus, statusDocument } from "./status.ts";
import { usageDocument } from "./usage.ts";

const DAY_MS = 24 * 60 * 60_000;

export interface OverviewParts extends DocumentParts {
  /** What the config grants people is told with its file and key. */
  readonly config: { readonly path: string | null; readonly plugins: readonly ConfiguredPlugin[] };
}

/** Reads the document that a query asks for. Checks no rights. Throws SESSION_UNKNOWN. */
export async function readOverview(parts: OverviewParts, query: OverviewQuery): Promise<OverviewDocument> {
  const { store } = parts;
  switch (query.of) {
    case "status":
      return statusDocument(await readStatus(store));
    case "sessions":
      return sessionsDocument(store, query);
    case "session":
      return whereDocument(parts, query.id as SessionId);
    case "handoffs":
      return handoffsDocument(store, { limit: query.limit });
    case "deliveries":
      return deliveriesDocument(store, { limit: query.limit });
    case "approvals":
      return approvalsDocument(store);
    case "lanes":
      return lanesDocument(parts, { limit: query.limit, offset: query.offset ?? 0 });
    case "leases":
      return leasesDocument(parts);
    case "passes":
      return passesDocument(store);
    case "people":
      return { ...(await peopleDocument(store, parts.config)) };
    case "requests":
      return requestsDocument(store);
    case "usage": {
      const { by, days, limit } = query;
      const since = parts.clock.now() - days * DAY_MS;
      return { ...(await usageDocument(store, { by, since, limit, windowOf: () => null })) };
    }
    case "places":
      return placesDocument(store);
  }
}
