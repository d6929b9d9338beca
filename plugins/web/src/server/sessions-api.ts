import { HermesError, threadName, z } from "@hermes/core";
import { Hono } from "hono";
import { parsed, readBody } from "./bodies.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import type { RateLimit } from "./rate-limit.ts";
import { Refusal } from "./refusal.ts";
import { FIRST_PAGE, LONGEST_NAME, type PageSessions } from "./sessions.ts";
import type { FoundAnswer, OpenedAnswer, WireListed } from "./wire/session.ts";

const LONGEST_PAGE = 100;
const MOST_FOUND = 30;

/** What a thread is called until its session has a title. */
const NEW_SESSION = "New session";

const limit = z.coerce.number().pipe(z.int().min(1).max(LONGEST_PAGE)).default(FIRST_PAGE);
const words = z.string().trim().min(1).max(200);
const listQuery = z.strictObject({ limit, after: z.string().max(200).optional(), matching: words.optional() });
const searchQuery = z.strictObject({ words });
const messageId = z.string().regex(/^[\w-]{8,64}$/);
const openBody = z.strictObject({ id: messageId, sessionId: z.string().regex(/^[\w-]{1,100}$/) });
const newBody = z.strictObject({ id: messageId });

/** Creates the part of the API about sessions; README.md describes it. */
export function createSessionsApi(parts: ServerParts, reads: RateLimit, posts: RateLimit): Hono<WebEnv> {
  const { file, ids, clock, sessions } = parts;
  const api = new Hono<WebEnv>();
  const shown = (): PageSessions => {
    if (sessions === null) throw new Refusal("NOT_FOUND");
    return sessions;
  };

  api.get("/", async (c) => {
    reads.take(c.get("cookie"));
    return c.json(await seen(shown().list(parsed(listQuery, c.req.query()))));
  });

  api.get("/search", async (c) => {
    reads.take(c.get("cookie"));
    const query = parsed(searchQuery, c.req.query());
    const answer: FoundAnswer = { found: await seen(shown().search({ ...query, limit: MOST_FOUND })) };
    return c.json(answer);
  });

  // A session that is open here is shown where it is; another one is asked for as anybody asks for it: with a command, of
  // which Hermes decides when it comes to it.
  api.post("/open", async (c) => {
    posts.take(c.get("cookie"));
    const { id, sessionId } = await readBody(c.req, openBody);
    const session = await seen(shown().get(sessionId));
    if (session === null) throw new Refusal("SESSION_GONE");
    const answer: OpenedAnswer = { threadId: session.threads[0] ?? resume(id, session) };
    return c.json(answer);
  });

  api.post("/new", async (c) => {
    posts.take(c.get("cookie"));
    const { id } = await readBody(c.req, newBody);
    const unused = file.threads.list().find(({ name, preview }) => name === NEW_SESSION && preview === null);
    const answer: OpenedAnswer = { threadId: unused?.id ?? openThread(id, NEW_SESSION) };
    return c.json(answer);
  });

  function resume(id: string, { id: sessionId, title }: WireListed): string {
    const threadId = openThread(id, title ?? NEW_SESSION);
    file.messages.add({
      id,
      threadId,
      kind: "user",
      author: "user",
      place: null,
      text: `/resume ${sessionId}`,
      key: null,
      sessionId: null,
      at: clock.now(),
    });
    parts.onMessage(threadId);
    return threadId;
  }

  /** One request opens one thread, however often it comes. */
  function openThread(request: string, name: string): string {
    const mark = `asked for on the page: ${request}`;
    return file.threads.open({ id: ids.next("thr"), name: threadName(name, LONGEST_NAME), mark, at: clock.now() });
  }

  return api;
}

/** What Hermes refuses becomes a refusal. */
export async function seen<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    if (error.code === "NOT_ALLOWED") throw new Refusal("NOT_ALLOWED");
    throw new Refusal("BUSY");
  }
}
