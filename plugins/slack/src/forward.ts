import type { Quote } from "@hermes/core";
import type { SlackFile } from "./attachments.ts";

/** What hangs on a message: a message that was shared, a preview of a link, what an app added. From outside. */
export interface SlackAttachment {
  /** A person shared a message of another place ("Forward message"). */
  readonly is_share?: boolean;
  readonly author_name?: string;
  readonly channel_name?: string;
  readonly text?: string;
  readonly fallback?: string;
  readonly files?: readonly SlackFile[];
}

function sharesIn(attachments: readonly SlackAttachment[] | undefined): readonly SlackAttachment[] {
  return (Array.isArray(attachments) ? attachments : []).filter(
    (one: SlackAttachment | null) => one?.is_share === true,
  );
}

/** The files of the messages that a message shares. */
export function sharedFiles(attachments: readonly SlackAttachment[] | undefined): readonly SlackFile[] {
  return sharesIn(attachments).flatMap(({ files = [] }) => files);
}

/** The messages of others that a message shares. */
export async function quotesOf(
  attachments: readonly SlackAttachment[] | undefined,
  toMarkdown: (text: string) => Promise<string>,
): Promise<Quote[]> {
  const quotes = sharesIn(attachments).map(async ({ text, fallback, author_name: writer, channel_name: channel }) => ({
    kind: "forward" as const,
    text: (await toMarkdown(text || fallback || "")).trim(),
    ...(writer === undefined ? {} : { writer }),
    ...(channel === undefined ? {} : { origin: `#${channel}` }),
  }));
  return Promise.all(quotes);
}
