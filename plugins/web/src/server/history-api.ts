import { z } from "@hermes/core";
import { Hono } from "hono";
import { parsed } from "./bodies.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import type { RateLimit } from "./rate-limit.ts";
import { Refusal } from "./refusal.ts";
import type { CallsAnswer, EarlierAnswer, OutcomeAnswer } from "./wire/thread.ts";

const id = z.string().min(1).max(200);
const callsQuery = z.object({ turns: z.string().max(10_000) });
const outcomeQuery = z.object({ turn: id, call: id });
const earlierQuery = z.object({ message: id, before: z.coerce.number().pipe(z.int().min(0)).optional() });

/**
 * Creates the part of the API that reads what was said and done in the session of a thread; README.md describes it. Who
 * may see it, Hermes says at each request.
 */
export function createHistoryApi({ file, history }: ServerParts, reads: RateLimit): Hono<WebEnv> {
  const api = new Hono<WebEnv>();

  api.use("/:id/*", async (c, next) => {
    if (!file.threads.has(c.req.param("id"))) throw new Refusal("THREAD_GONE");
    await next();
  });

  api.get("/:id/calls", async (c) => {
    reads.take(c.get("cookie"));
    const { turns } = parsed(callsQuery, c.req.query());
    const answer: CallsAnswer = { turns: await history.calls(c.req.param("id"), turns.split(",").filter(Boolean)) };
    return c.json(answer);
  });

  api.get("/:id/outcome", async (c) => {
    reads.take(c.get("cookie"));
    const { turn, call } = parsed(outcomeQuery, c.req.query());
    const outcome = await history.outcome(c.req.param("id"), turn, call);
    if (outcome === null) throw new Refusal("NOT_SEEN");
    return c.json({ outcome } satisfies OutcomeAnswer);
  });

  api.get("/:id/earlier", async (c) => {
    reads.take(c.get("cookie"));
    const { message, before } = parsed(earlierQuery, c.req.query());
    const found = file.messages.earlierOf(message);
    if (found === null || found.threadId !== c.req.param("id")) throw new Refusal("MESSAGE_GONE");
    const { threadId, sessionId, until } = found;
    const part = await history.earlier(threadId, sessionId, Math.min(before ?? until, until));
    if (part === null) throw new Refusal("NOT_SEEN");
    return c.json(part satisfies EarlierAnswer);
  });

  return api;
}
