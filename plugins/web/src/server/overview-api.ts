import { HermesError, type OverviewAction, type OverviewQuery, z } from "@hermes/core";
import { Hono } from "hono";
import { parsed, readBody } from "./bodies.ts";
import type { PageOverview } from "./overview.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import { RateLimit } from "./rate-limit.ts";
import { Refusal } from "./refusal.ts";

/** Reads of one browser in a minute: a page reads again whenever something changes, once a second at most. */
const READS_PER_MINUTE = 600;
const LONGEST_PAGE = 100;

const id = z.string().min(1).max(200);
const limit = z.coerce.number().pipe(z.int().min(1).max(LONGEST_PAGE)).default(50);
const offset = z.coerce.number().pipe(z.int().min(0)).optional();

const queries = z.discriminatedUnion("of", [
  z.strictObject({ of: z.literal(["status", "approvals", "leases", "passes", "people", "requests", "places"]) }),
  z.strictObject({
    of: z.literal("sessions"),
    limit,
    after: z.string().max(200).optional(),
    matching: z.string().max(200).optional(),
  }),
  z.strictObject({ of: z.literal("session"), id }),
  z.strictObject({ of: z.literal(["handoffs", "deliveries"]), limit }),
  z.strictObject({ of: z.literal("lanes"), limit, offset }),
  z.strictObject({
    of: z.literal("usage"),
    by: z.literal(["session", "day", "person", "model"]).default("day"),
    days: z.coerce.number().pipe(z.int().min(1).max(366)).default(30),
    limit,
  }),
]);

/** Longer than the longest name of a person: Hermes says itself what is wrong with one. */
const name = z.string().max(200);
const role = z.literal(["operator", "member"]);
const number = z.int().min(1);
const code = z.string().min(1).max(40);
const words = z.string().max(2_000);
const actions = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal(["drop-delivery", "cancel-handoff"]), id }),
  z.strictObject({ do: z.literal("retry-delivery"), id, readBy: words.nullish() }),
  z.strictObject({ do: z.literal("allow"), code, session: z.boolean().optional() }),
  z.strictObject({ do: z.literal("answer"), code, answer: words.min(1) }),
  z.strictObject({ do: z.literal("deny"), code, why: words.optional() }),
  z.strictObject({ do: z.literal(["revoke-pass", "let-in", "turn-away"]), number }),
  z.strictObject({ do: z.literal("hand-off"), id, to: id, yes: z.boolean().optional() }),
  z.strictObject({ do: z.literal("add-person"), name, role }),
  z.strictObject({ do: z.literal("rename-person"), id, name }),
  z.strictObject({ do: z.literal("set-role"), id, role }),
  z.strictObject({ do: z.literal(["remove-person", "make-link-code"]), id }),
  z.strictObject({ do: z.literal("settle-link"), number, isThem: z.boolean() }),
  z.strictObject({ do: z.literal("unlink"), platform: id, account: id.nullable(), key: z.string().min(1).max(1_000) }),
]);

/** Creates the part of the API that only the operator may use; README.md describes it. */
export function createOverviewApi({ overview, clock, limits }: ServerParts): Hono<WebEnv> {
  const reads = new RateLimit(clock, READS_PER_MINUTE);
  const acts = new RateLimit(clock, limits.messagesPerMinute);
  const api = new Hono<WebEnv>();
  // Right or not is looked up before anything of a request is: whoever may not see this learns nothing about it.
  const allowed = async (): Promise<PageOverview> => {
    if (overview === null || !(await overview.isAllowed())) throw new Refusal("NOT_OPERATOR");
    return overview;
  };

  api.get("/:of", async (c) => {
    reads.take(c.get("cookie"));
    const shown = await allowed();
    const query = parsed(queries, { ...c.req.query(), of: c.req.param("of") }) as OverviewQuery;
    return c.json(await said(shown.read(query)));
  });

  api.post("/act", async (c) => {
    acts.take(c.get("cookie"));
    const shown = await allowed();
    const action = (await readBody(c.req, actions)) as OverviewAction;
    return c.json(await said(shown.act(action)));
  });

  return api;
}

const NOT_FOUND: readonly string[] = [
  "SESSION_UNKNOWN",
  "DELIVERY_UNKNOWN",
  "HANDOFF_UNKNOWN",
  "APPROVAL_UNKNOWN",
  "PASS_UNKNOWN",
  "PLACE_UNKNOWN",
  "PERSON_NOT_LINKED",
  "PERSON_UNKNOWN",
  "REQUEST_UNKNOWN",
];

/** What Hermes refuses becomes a refusal with its own sentence and next step. */
async function said<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    if (error.code === "OVERVIEW_REFUSED") throw new Refusal("NOT_OPERATOR");
    if (error.code === "STORE_BUSY") throw new Refusal("BUSY");
    const text = `${error.message} ${error.hint}`;
    throw new Refusal(NOT_FOUND.includes(error.code) ? "UNKNOWN" : "CONFLICT", null, text);
  }
}
