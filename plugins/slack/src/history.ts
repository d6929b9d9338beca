import type { Conversation } from "@hermes/core";
import type { SlackApi } from "./api.ts";
import { uncertain } from "./errors.ts";

/** The fields used of a message in a channel's history. */
export interface HistoryMessage {
  readonly ts: string;
  readonly bot_id?: string;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: Readonly<Record<string, unknown>> };
  readonly blocks?: readonly { readonly block_id?: string }[];
}

/** Messages per call: the largest page that Slack recommends. */
const PAGE = 200;

/** The most pages that are searched. */
const MOST_PAGES = 10;

export interface PageOptions {
  readonly signal: AbortSignal;
  readonly mostPages: number;
  /** Called if there are more. */
  readonly onEnd?: () => void;
  /** The longest wait for a rate limit, in milliseconds; by default until it is over. */
  readonly longestWaitMs?: number;
}

/** Yields the pages of a method that lists something ("Pagination"). */
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
 * Yields the messages of a place: newest first in a channel, root first in a thread. Throws PLATFORM_UNCERTAIN after
 * 2,000 of them, since the wanted one may come later.
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

/** The longest wait of a look-up's call for a rate limit, in milliseconds: somebody waits for the result. */
const LOOKED_UP_WITHIN_MS = 15_000;

/** Finds the first message that is `wanted`; null if there is none. */
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
