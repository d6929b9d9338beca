import { usageGroups } from "../command/usage-groups.ts";
import type { Session } from "../model/session.ts";
import { sentTokens, totalTokens, type UsageBy, type UsageFilter, type UsageSum } from "../model/usage.ts";
import { usageText } from "../model/usage-text.ts";
import type { Store } from "../store/store.ts";

export interface UsageRequest {
  readonly by: UsageBy;
  /** Only of this session. */
  readonly session?: Session | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly limit: number;
  /** The tokens that a model reads; null where that is not known. */
  windowOf(model: string): number | null;
}

/** What requests to models used: `hermes usage --json`. */
export async function usageDocument(store: Store, { by, session, since, limit, windowOf }: UsageRequest) {
  const filter: UsageFilter = { session: session?.id, since };
  const [sum, groups, last] = await Promise.all([
    store.usage.sum(filter),
    usageGroups(store, by, { ...filter, limit }),
    session === undefined ? null : store.usage.lastOf(session.id),
  ]);
  return {
    session: session === undefined ? null : { id: session.id, title: session.title },
    since: since === undefined ? null : new Date(since).toISOString(),
    window: last && {
      ...{ model: last.model, tokens: sentTokens(last), of: windowOf(last.model), isEstimated: last.isEstimated },
      at: new Date(last.at).toISOString(),
    },
    ...sumDocument(sum),
    by,
    groups: groups.map(({ key, name, sessionId, firstAt, lastAt, ...group }) => ({
      key,
      name,
      sessionId,
      ...sumDocument(group),
      ...{ firstAt: new Date(firstAt).toISOString(), lastAt: new Date(lastAt).toISOString() },
    })),
  };
}

/**
 * `said`: in words. `dollars`: what is known of it; null where no price is. `unpricedTokens`: how many tokens it does
 * not hold.
 */
function sumDocument(sum: UsageSum) {
  const { requests, input, cacheRead, cacheWrite, output, cost, unpriced, estimated } = sum;
  const total = totalTokens(sum);
  return {
    requests,
    tokens: { input, cacheRead, cacheWrite, output, total },
    said: usageText(sum),
    dollars: unpriced > 0 && unpriced === total ? null : cost / 1_000_000,
    ...{ unpricedTokens: unpriced, estimatedRequests: estimated },
  };
}
