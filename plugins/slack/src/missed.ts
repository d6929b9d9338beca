import {
  type HeardSoFar,
  type HistoryEntry,
  type InboundMessage,
  type Logger,
  type MessageHistory,
  PlatformError,
} from "@hermes/core";
import type { SlackApi } from "./api.ts";
import { pagesOf } from "./history.ts";
import { type DecodeDeps, decodeMessage, type SlackMessage } from "./inbound.ts";
import { isAfter, partsOf, placeAt, timeOf, tsAt, tsBefore } from "./source.ts";

/** The most pages read of a channel's history or a thread: all are held in memory, to hand them on in order. */
const MOST_PAGES = 50;

/**
 * How far back roots are read, which show whether their threads have new answers: a week, and at most so many pages.
 * Threads that Hermes knows are queried one by one, however old they are.
 */
const LOOK_BACK_MS = 7 * 24 * 3_600_000;
const MOST_LOOK_BACK_PAGES = 5;

/** With smaller pages no roots are read: Slack limits some apps to such a page once a minute. */
const SMALL_PAGE = 100;

/** The kinds of conversation that a bot can be in. */
const TYPES = "public_channel,private_channel,mpim,im";

export interface MissedParts {
  readonly api: SlackApi;
  readonly decoding: DecodeDeps;
  readonly logger: Logger;
  /** The app's id, once Slack has told it; it identifies the app's own webhooks. */
  readonly appId: () => string | undefined;
}

/** A message of a channel's history. */
interface PastMessage extends SlackMessage {
  readonly ts: string;
  /** Of a thread's root: the `ts` of the last answer. */
  readonly latest_reply?: string;
}

/** A channel's history, newest first, as far as it is needed. */
interface Past {
  /** Messages that Hermes has not received, newest first. */
  readonly missed: readonly PastMessage[];
  /** The `ts` of the last answer, for each thread whose root was read. */
  readonly threads: ReadonlyMap<string, string>;
  /** Older roots than this were not read; null if all were. */
  readonly lookedBackTo: string | null;
}

/**
 * Fetches messages that were written while no socket was open, for longer than the few minutes in which Slack repeats
 * events. A lane is a channel with its threads, in the order of the messages: the answers to a missed one follow it.
 */
export function createHistory(parts: MissedParts): MessageHistory {
  return {
    isAfter,
    before: tsBefore,
    at: tsAt,
    laneOf: (place) => partsOf(place).channel,
    lanes: (horizon, _places, signal) => joinedChannels(parts.api, horizon, signal),
    missed: (channel, heard, signal) => missedIn(parts, channel, heard, signal),
  };
}

async function joinedChannels(api: SlackApi, after: string, signal: AbortSignal) {
  const lanes: { readonly lane: string; readonly after: string }[] = [];
  const args = { types: TYPES, exclude_archived: true };
  for await (const { channels } of pagesOf(api, "users.conversations", args, { signal, mostPages: MOST_PAGES })) {
    for (const { id } of channels as readonly { readonly id: string }[]) lanes.push({ lane: id, after });
  }
  return lanes;
}

async function* missedIn(
  parts: MissedParts,
  channel: string,
  heard: HeardSoFar,
  signal: AbortSignal,
): AsyncGenerator<HistoryEntry> {
  const past = await readPast(parts, channel, heard.upTo(channel), signal);
  const found = new Map(past.missed.map((message) => [message.ts, message]));
  for (const root of threadsToRead(channel, past, heard)) {
    for (const message of await readThread(parts, channel, root, heard, signal)) found.set(message.ts, message);
  }
  const inOrder = [...found.values()].toSorted((a, b) => (isAfter(a.ts, b.ts) ? 1 : -1));
  for (const message of inOrder) {
    const place = placeOfMessage(channel, message);
    if (isAfter(message.ts, heard.upTo(place))) yield entryOf(parts, channel, place, message);
  }
}

/** Reads the missed messages, and earlier roots that show which recent threads have new answers. */
async function readPast(
  { api, decoding, logger }: MissedParts,
  channel: string,
  since: string,
  signal: AbortSignal,
): Promise<Past> {
  const missed: PastMessage[] = [];
  const threads = new Map<string, string>();
  let oldest: string | undefined;
  let lookBackTo: string | undefined;
  let pages = 0;
  let isCutOff = false;
  const onEnd = () => {
    isCutOff = true;
    logger.warn({ channel }, "so much was written while nobody listened that not all is read");
  };
  const options = { signal, mostPages: MOST_PAGES, onEnd };
  for await (const { messages } of pagesOf(api, "conversations.history", { channel }, options)) {
    for (const message of messages as readonly PastMessage[]) {
      if (message.latest_reply !== undefined) threads.set(message.ts, message.latest_reply);
      if (!isAfter(message.ts, since)) continue;
      // Messages from before the bot joined were not meant for it.
      if (isOwnArrival(message, decoding.self.userId)) return { missed, threads, lookedBackTo: message.ts };
      missed.push(message);
    }
    pages++;
    const page = messages as readonly PastMessage[];
    const [newest] = page;
    oldest = page.at(-1)?.ts;
    if (newest === undefined || oldest === undefined) continue;
    lookBackTo ??= tsAt(timeOf(newest.ts) - LOOK_BACK_MS);
    const isEnough = pages >= MOST_LOOK_BACK_PAGES || page.length < SMALL_PAGE;
    const isFarBack = isEnough || !isAfter(oldest, lookBackTo);
    if (isFarBack && !isAfter(oldest, since)) return { missed, threads, lookedBackTo: oldest };
  }
  return { missed, threads, lookedBackTo: isCutOff ? (oldest ?? null) : null };
}

/** The threads with newer answers, and known threads whose roots were not read. */
function threadsToRead(channel: string, { threads, lookedBackTo }: Past, heard: HeardSoFar): string[] {
  const withNews = [...threads].filter(([root, latest]) => isAfter(latest, heard.upTo(placeAt(channel, root))));
  const known = heard.places.flatMap((place) => partsOf(place).threadId ?? []);
  const farBack = known.filter((root) => lookedBackTo !== null && isAfter(lookedBackTo, root) && !threads.has(root));
  return [...withNews.map(([root]) => root), ...farBack];
}

async function readThread(
  { api }: MissedParts,
  channel: string,
  root: string,
  heard: HeardSoFar,
  signal: AbortSignal,
): Promise<PastMessage[]> {
  const place = placeAt(channel, root);
  const args = { channel, ts: root, oldest: heard.upTo(place) };
  const answers: PastMessage[] = [];
  try {
    for await (const { messages } of pagesOf(api, "conversations.replies", args, { signal, mostPages: MOST_PAGES })) {
      // Slack includes the root in any case.
      answers.push(...(messages as readonly PastMessage[]).filter(({ ts }) => ts !== root));
    }
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== "PLATFORM_THREAD_GONE") throw error;
    heard.forget(place);
  }
  return answers;
}

/**
 * A person's message as it is now ("Retrieving messages": a history of one); null where it was deleted. A slash command is
 * no message, and cannot be read.
 */
export async function readNow(
  parts: MissedParts,
  { conversation: { chatId: channel, threadId }, messageId: ts }: InboundMessage,
  signal: AbortSignal,
): Promise<InboundMessage | null | undefined> {
  if (!/^\d+\.\d+$/.test(ts)) return undefined;
  const only = { channel, oldest: ts, latest: ts, inclusive: true };
  const isAnswer = threadId !== undefined && threadId !== ts;
  const waiting = { signal, waits: true, longestWaitMs: READ_WITHIN_MS };
  try {
    const { messages } = isAnswer
      ? await parts.api.call("conversations.replies", { ...only, ts: threadId }, waiting)
      : await parts.api.call("conversations.history", { ...only, limit: 1 }, waiting);
    const message = (messages as readonly PastMessage[]).find((one) => one.ts === ts);
    // What a root with answers leaves when it is deleted.
    if (message === undefined || message.subtype === "tombstone") return null;
    const place = placeOfMessage(channel, message);
    return (await entryOf(parts, channel, place, message, { isEdit: true }).decode()) ?? undefined;
  } catch (error) {
    if (isAnswer && error instanceof PlatformError && error.code === "PLATFORM_THREAD_GONE") return null;
    throw error;
  }
}

/** The longest wait for a rate limit before a message is answered as it was kept, in milliseconds. */
const READ_WITHIN_MS = 8_000;

function entryOf(
  { decoding, appId }: MissedParts,
  channel: string,
  place: string,
  message: PastMessage,
  change: { readonly isEdit?: boolean } = {},
): HistoryEntry {
  const body = { team_id: decoding.self.teamId, api_app_id: appId() };
  return { place, id: message.ts, decode: () => decodeMessage(message, channel, body, decoding, change) };
}

export function placeOfMessage(channel: string, { ts, thread_ts: root }: SlackMessage): string {
  return placeAt(channel, root === ts ? undefined : root);
}

function isOwnArrival({ subtype, user }: PastMessage, userId: string): boolean {
  return user === userId && (subtype === "channel_join" || subtype === "group_join");
}
