import type { SessionId, UserId } from "./session.ts";
import { totalTokens, type UsageFilter, type UsageSum } from "./usage.ts";
import { costText, dollarsText, tokensText } from "./usage-text.ts";

/** `session`: of one session; `day`: of everybody on one day; `person`: of each person on one day. */
export type LimitScope = "session" | "day" | "person";

/** In the order in which they are looked at: the narrowest first. */
export const LIMIT_SCOPES: readonly LimitScope[] = ["session", "person", "day"];

/**
 * How many tokens of unknown price count as a dollar, in a limit that says no number of tokens itself: about what the
 * dearest models cost.
 */
const TOKENS_FOR_A_DOLLAR = 100_000;

/** What may be used at most; reached when either is. For tokens of unknown price, see {@link TOKENS_FOR_A_DOLLAR}. */
export interface Limit {
  readonly dollars?: number | undefined;
  readonly tokens?: number | undefined;
}

export type Limits = Readonly<Partial<Record<LimitScope, Limit | undefined>>>;

/** The session, person and day of a request. */
export interface LimitedRequest {
  readonly session: SessionId;
  readonly person: UserId;
  readonly day: string;
}

/** What was allowed beyond a limit. */
export interface LimitRaise {
  /** Which limit: see {@link subjectOf}. */
  readonly subject: string;
  /** Millionths of a US dollar. */
  readonly cost: number;
  readonly tokens: number;
}

export interface ReachedLimit {
  readonly scope: LimitScope;
  /** Such as `the limit of $5.00 for today`. */
  readonly text: string;
  /** Such as `at least $5.02`, or `1.2M tokens`. */
  readonly used: string;
  /** What a yes allows: the same again, from what was used by now. */
  readonly raise: LimitRaise;
  /** Up to where, then: `$10.02`. */
  readonly upTo: string;
}

const WHOSE = { session: "for this session", day: "for today", person: "for one person today" } as const;

/** What a limit counts, as a key: `session:ses_1`, `day:2026-11-29`, `person:2026-11-29:operator`. */
export function subjectOf(scope: LimitScope, { session, person, day }: LimitedRequest): string {
  switch (scope) {
    case "session":
      return subjectOfSession(session);
    case "day":
      return `day:${day}`;
    case "person":
      return `person:${day}:${person}`;
  }
}

export function subjectOfSession(session: SessionId): string {
  return `session:${session}`;
}

export function countedBy(scope: LimitScope, { session, person, day }: LimitedRequest): UsageFilter {
  return scope === "session" ? { session } : scope === "day" ? { day } : { day, person };
}

/** Millionths of a dollar that count against a limit in dollars. */
function countedCost({ tokens }: Limit, { cost, unpriced }: UsageSum): number {
  return tokens === undefined ? cost + (unpriced * 1_000_000) / TOKENS_FOR_A_DOLLAR : cost;
}

/** What was used of a limit in dollars: `$1.20 and 45k tokens of unknown price at 100k to the dollar`. */
function dollarsUsed({ tokens }: Limit, used: UsageSum): string {
  const { cost, unpriced } = used;
  if (tokens !== undefined || unpriced === 0) return cost === 0 ? "nothing" : costText(used);
  const counted = `${tokenCount(unpriced)} of unknown price at ${tokensText(TOKENS_FOR_A_DOLLAR)} to the dollar`;
  return cost === 0 ? counted : `${dollarsText(cost)} and ${counted}`;
}

function tokenCount(tokens: number): string {
  return `${tokensText(tokens)} token${tokens === 1 ? "" : "s"}`;
}

/** A limit and how much of it is used: `$5.00 ($3.20 used) for today`. */
export function limitText(
  { scope, limit }: { readonly scope: LimitScope; readonly limit: Limit },
  used: UsageSum,
  raised: LimitRaise,
): string {
  const { dollars, tokens } = limit;
  const parts = [
    ...(dollars === undefined ? [] : [[dollarsText(dollars * 1_000_000 + raised.cost), dollarsUsed(limit, used)]]),
    ...(tokens === undefined ? [] : [[tokenCount(tokens + raised.tokens), tokensText(totalTokens(used))]]),
  ];
  return `${parts.map(([most, so]) => `${most} (${so} used)`).join(" or ")} ${WHOSE[scope]}`;
}

/** Whether a limit is reached, with what was allowed beyond it. */
export function reachedBy(
  { scope, limit }: { readonly scope: LimitScope; readonly limit: Limit },
  used: UsageSum,
  raised: LimitRaise,
): ReachedLimit | null {
  const { dollars = null, tokens = null } = limit;
  const most = {
    cost: dollars === null ? Number.POSITIVE_INFINITY : dollars * 1_000_000 + raised.cost,
    tokens: tokens === null ? Number.POSITIVE_INFINITY : tokens + raised.tokens,
  };
  const over = { cost: countedCost(limit, used) - most.cost, tokens: totalTokens(used) - most.tokens };
  if (over.cost < 0 && over.tokens < 0) return null;
  const raise = {
    subject: raised.subject,
    cost: over.cost < 0 ? 0 : Math.round(over.cost + (dollars ?? 0) * 1_000_000),
    tokens: over.tokens < 0 ? 0 : over.tokens + (tokens ?? 0),
  };
  const isCost = over.cost >= 0;
  return {
    scope,
    raise,
    text: `the limit of ${isCost ? dollarsText(most.cost) : tokenCount(most.tokens)} ${WHOSE[scope]}`,
    used: isCost ? dollarsUsed(limit, used) : tokenCount(totalTokens(used)),
    upTo: isCost ? dollarsText(most.cost + raise.cost) : tokenCount(most.tokens + raise.tokens),
  };
}
