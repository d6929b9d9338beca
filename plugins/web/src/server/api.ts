import { shorten, sniffMediaType, z } from "@hermes/core";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { TEXT_LIMIT } from "../format.ts";
import { HOME_CHAT_ID } from "../source.ts";
import { keepSent, type SentFile } from "../storage/sent-file.ts";
import { parsed, readBody } from "./bodies.ts";
import { giveFile } from "./download.ts";
import { createHistoryApi } from "./history-api.ts";
import { eventIdOf } from "./live.ts";
import { createOverviewApi } from "./overview-api.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import { RateLimit } from "./rate-limit.ts";
import { Refusal } from "./refusal.ts";
import { createSessionsApi, seen } from "./sessions-api.ts";
import { signedInOnly, signIn, stillSignedInOnly } from "./sign-in.ts";
import { takeUpload, uploadLimit } from "./upload.ts";
import type { ChatsAnswer, MessagesAnswer, PostAnswer, WireMessage, WireQuote, WireThread } from "./wire/thread.ts";
import { WrongCodes } from "./wrong-codes.ts";

const PAGE_LENGTH = 50;

/** Reads of sessions of one browser in a minute: a page reads again whenever something changes, once a second at most. */
const READS_PER_MINUTE = 600;

/** The most event streams of one browser; without HTTP/2 it opens no more than six itself. */
const STREAMS_PER_BROWSER = 8;

const loginBody = z.object({ code: z.string().min(1).max(200) });
const fileBody = z.object({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  name: z.string().min(1).max(500),
  mediaType: z.string().max(200),
});
const messageBody = z
  .object({
    id: z.string().regex(/^[\w-]{8,64}$/),
    text: z.string().max(TEXT_LIMIT.length),
    /** What `POST /api/files` answered for each. */
    files: z.array(fileBody).max(10).default([]),
    /** The id of a message of the same thread. */
    replyTo: z.string().max(200).optional(),
  })
  .refine(({ text, files }) => text.trim() !== "" || files.length > 0);

/** The most that a reply quotes of a message, in UTF-16 units. */
const LONGEST_QUOTE = 500;
const markBody = z.object({ seq: z.int().min(0) });
/** The choice's id is in the body, since addresses are logged. */
const pressBody = z.object({ messageId: z.string().min(1).max(200), choiceId: z.string().regex(/^[ -~]{1,64}$/) });
const viewingBody = z.object({ page: z.string().min(1).max(64), threadId: z.string().max(200).nullable() });
const beforeQuery = z.coerce.number().pipe(z.int().min(0));

/** Creates the JSON API that README.md describes. */
export function createApi(parts: ServerParts): Hono<WebEnv> {
  const { file, live, clock, limits } = parts;
  const wrong = new WrongCodes(clock);
  const posts = new RateLimit(clock, limits.messagesPerMinute);
  const reads = new RateLimit(clock, READS_PER_MINUTE);
  const streams = new Map<string, number>();
  const api = new Hono<WebEnv>();

  // Before the limit of all other requests; nobody else has as much read.
  api.post("/files", signedInOnly(parts), uploadLimit, stillSignedInOnly(parts), async (c) => {
    posts.take(c.get("cookie"));
    return takeUpload(c, parts);
  });

  api.use(
    bodyLimit({
      maxSize: limits.bodyBytes,
      onError: () => {
        throw new Refusal("TOO_LARGE");
      },
    }),
  );

  api.post("/login", async (c) => {
    const { code } = await readBody(c.req, loginBody);
    await signIn(c, parts, wrong, code);
    return c.body(null, 204);
  });

  api.use(signedInOnly(parts), stillSignedInOnly(parts));

  api.get("/chats", async (c) => {
    // The event id is read first: a change in between is then sent twice rather than never.
    const eventId = eventIdOf(file, file.changes.latest());
    const threads = file.threads.list().filter((thread) => thread.id !== HOME_CHAT_ID);
    const mayOversee = (await parts.overview?.isAllowed()) ?? false;
    const hasSessions = parts.sessions !== null;
    const answer: ChatsAnswer = { home: threadOf(HOME_CHAT_ID), threads, eventId, mayOversee, hasSessions };
    return c.json(answer);
  });

  api.get("/threads/:id/messages", (c) => {
    const thread = threadOf(c.req.param("id"));
    // Waiting messages may have come through another server on this file, which had lost the account.
    parts.onMessage(thread.id);
    const asked = c.req.query("before");
    const before = asked === undefined ? Number.MAX_SAFE_INTEGER : parsed(beforeQuery, asked);
    const found = file.messages.page(thread.id, before, PAGE_LENGTH + 1);
    const hasMore = found.length > PAGE_LENGTH;
    const answer: MessagesAnswer = { thread, messages: hasMore ? found.slice(1) : found, hasMore };
    return c.json(answer);
  });

  api.post("/threads/:id/messages", async (c) => {
    posts.take(c.get("cookie"));
    const { id, text, files, replyTo } = await readBody(c.req, messageBody);
    const threadId = c.req.param("id");
    const isNewId = file.messages.get(id) === null;
    const sent = isNewId ? await Promise.all(files.map((one) => uploaded(one))) : [];
    const replied = replyTo === undefined ? null : file.messages.get(replyTo);
    const added = file.messages.add({
      id,
      threadId,
      kind: "user",
      author: "user",
      place: null,
      text: text.toWellFormed(),
      key: null,
      sessionId: null,
      files: sent,
      replyTo: replied?.threadId === threadId ? quoteOf(replied) : null,
      at: clock.now(),
    });
    if (!added) throw new Refusal("THREAD_GONE");
    const { message, isNew } = added;
    if (message.kind !== "user" || message.threadId !== threadId) throw new Refusal("ID_TAKEN");
    // The others go when Hermes has taken the message in.
    await Promise.all(files.filter((_, at) => sent[at]?.isKept).map(({ id }) => parts.uploads.remove(id)));
    parts.onMessage(threadId);
    const answer: PostAnswer = { message };
    return c.json(answer, isNew ? 201 : 200);
  });

  api.get("/threads/:id/messages/:messageId/files/:fileId", (c) => giveFile(c, parts));

  api.post("/threads/:id/press", async (c) => {
    posts.take(c.get("cookie"));
    const { messageId, choiceId } = await readBody(c.req, pressBody);
    const { id: threadId } = threadOf(c.req.param("id"));
    if (file.messages.get(messageId)?.threadId !== threadId) throw new Refusal("MESSAGE_GONE");
    await parts.onPress({ threadId, messageId, choiceId });
    return c.body(null, 204);
  });

  api.get("/threads/:id/session", async (c) => {
    reads.take(c.get("cookie"));
    if (parts.sessions === null) throw new Refusal("NOT_FOUND");
    return c.json(await seen(parts.sessions.here(threadOf(c.req.param("id")).id)));
  });

  api.post("/threads/:id/read", async (c) => {
    const { seq } = await readBody(c.req, markBody);
    file.threads.markRead(threadOf(c.req.param("id")).id, seq);
    return c.body(null, 204);
  });

  api.post("/viewing", async (c) => {
    const { page, threadId } = await readBody(c.req, viewingBody);
    live.show(page, threadId);
    if (threadId !== null && file.threads.has(threadId)) {
      await live.catchUp(page, threadId, async (turnId) => (await parts.history.calls(threadId, [turnId]))[0]);
    }
    return c.body(null, 204);
  });

  api.get("/events", (c) => {
    const cookie = c.get("cookie");
    const own = streams.get(cookie) ?? 0;
    if (own >= STREAMS_PER_BROWSER || live.count >= limits.streams) throw new Refusal("TOO_MANY", 5);
    streams.set(cookie, own + 1);
    const stream = live.open(c.req.header("last-event-id") ?? c.req.query("after"), {
      id: (c.req.query("page") ?? "").slice(0, 64),
      isWelcome: () => file.signIns.check(cookie, clock.now()) !== "unknown",
      onEnd: () => {
        const left = (streams.get(cookie) ?? 1) - 1;
        if (left > 0) streams.set(cookie, left);
        else streams.delete(cookie);
      },
    });
    return c.body(stream, 200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
  });

  api.route("/sessions", createSessionsApi(parts, reads, posts));
  api.route("/threads", createHistoryApi(parts, reads));
  api.route("/overview", createOverviewApi(parts));

  api.all("*", () => {
    throw new Refusal("NOT_FOUND");
  });

  /** A picture or PDF stays, as Hermes keeps it too; a text becomes part of what was said, and only its name stays. */
  async function uploaded({ id, name, mediaType }: z.output<typeof fileBody>): Promise<SentFile> {
    const content = await parts.uploads.read(id);
    if (content === null) throw new Refusal("FILE_GONE");
    const found = sniffMediaType(content);
    if (found === null) return { id, name: name.toWellFormed(), mediaType, size: content.length };
    return keepSent(parts.files, { name, mediaType: found, content }, clock.now());
  }

  function threadOf(id: string): WireThread {
    const thread = file.threads.get(id);
    if (!thread) throw new Refusal("THREAD_GONE");
    return thread;
  }

  return api;
}

function quoteOf({ id, author, text }: WireMessage): WireQuote {
  return { id, author, text: shorten(text, LONGEST_QUOTE) };
}
