import type { Conversation } from "@hermes/core";
import type { SlackApi } from "./api.ts";
import { uncertain } from "./errors.ts";

/** A message of a channel's history, as far as it is looked at. */
export interface HistoryMessage {
  readonly ts: string;
  readonly bot_id?: string;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: Readonly<Record<string, unknown>> };
  readonly blocks?: readonly { readonly block_id?: string }[];
}

/** Messages a call: the largest page that Slack advises. */
const PAGE = 200;

/** Pages that are looked through before it is given up. */
const MOST_PAGES = 10;

export interface PageOptions {
  readonly signal: AbortSignal;
  readonly mostPages: number;
  /** Called when there is more than that. */
  readonly onEnd?: () => void;
  /** How long a rate limit is waited for, in milliseconds; until it is over where it is left out. */
  readonly longestWaitMs?: number;
}

/** The pages of a method that lists something, as Slack gives them ("Pagination"). */
export async function* pagesOf(
  api: SlackApi,
  method: string,
  args: Readonly<Record<string, unknown>>,
  { signal, mostPages, onEnd = () => {}, longestWaitMs = Number.POSITIVE_INFINITY }: PageOptions,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const wanted = { ...args, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const page = await api.call(method, wanted, { signal, waits: true, longestWaitMs });
    yield page;
    cursor = page.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return;
  }
  onEnd();
}

/**
 * The messages at a place: the newest first at the top of a channel, the root first in a thread. Throws
 * PLATFORM_UNCERTAIN behind 2,000 of them: what was not found until then may still be there.
 */
export async function* messagesAt(
  api: SlackApi,
  { chatId, threadId }: Conversation,
  signal: AbortSignal,
): AsyncGenerator<HistoryMessage> {
  const [method, where] =
    threadId === undefined
      ? ["conversations.history", { channel: chatId }]
      : ["conversations.replies", { channel: chatId, ts: threadId }];
  const onEnd = () => {
    throw uncertain("too much was written since to look it up");
  };
  const options = { signal, mostPages: MOST_PAGES, onEnd, longestWaitMs: LOOKED_UP_WITHIN_MS };
  for await (const { messages } of pagesOf(api, method, { ...where, include_all_metadata: true }, options)) {
    yield* messages as readonly HistoryMessage[];
  }
}

/** How long one call of a look-up waits for a rate limit, in milliseconds: somebody waits for what is looked up. */
const LOOKED_UP_WITHIN_MS = 15_000;

/** The first message that is `wanted`, or null when there is none. */
export async function findMessage(
  messages: AsyncIterable<HistoryMessage>,
  wanted: (message: HistoryMessage) => boolean,
): Promise<HistoryMessage | null> {
  for await (const message of messages) if (wanted(message)) return message;
  return null;
}

/** Whether a message has metadata of `type` with `value` under `name`. */
export function hasMetadata({ metadata }: HistoryMessage, type: string, name: string, value: string): boolean {
  return metadata?.event_type === type && metadata.event_payload?.[name] === value;
}
