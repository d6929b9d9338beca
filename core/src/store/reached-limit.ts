import {
  countedBy,
  LIMIT_SCOPES,
  type LimitedRequest,
  type Limits,
  type ReachedLimit,
  reachedBy,
  subjectOf,
} from "../model/limit.ts";
import type { Store } from "./store.ts";

/** The first limit that is reached; null where the next request may be made. */
export async function reachedLimit(
  { usage }: Pick<Store, "usage">,
  limits: Limits,
  request: LimitedRequest,
): Promise<ReachedLimit | null> {
  for (const scope of LIMIT_SCOPES) {
    const limit = limits[scope];
    if (limit === undefined) continue;
    const [used, raised] = await Promise.all([
      usage.sum(countedBy(scope, request)),
      usage.raised(subjectOf(scope, request)),
    ]);
    const reached = reachedBy({ scope, limit }, used, raised);
    if (reached !== null) return reached;
  }
  return null;
}
