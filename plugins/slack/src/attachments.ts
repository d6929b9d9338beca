import type { Attachment, Quote } from "@hermes/core";
import { forbidden, rejected } from "./errors.ts";

/** A file of a message, as in events ("File object"). */
export interface SlackFile {
  readonly id?: string;
  readonly name?: string | null;
  readonly mimetype?: string;
  readonly size?: number;
  readonly mode?: string;
  readonly url_private_download?: string;
  readonly url_private?: string;
}

export interface DownloadOptions {
  readonly botToken: string;
  readonly apiUrl: string;
}

/** The files of a message; what was deleted leaves a tombstone. */
export function attachmentsOf(files: readonly SlackFile[], options: DownloadOptions): Attachment[] {
  return present(files).map((file) => {
    const { name, mimetype: mediaType = "application/octet-stream", size = 0 } = file;
    return {
      name: name || (file.id ?? "file"),
      mediaType,
      size,
      download: ({ signal }) => download(file, options, signal),
    };
  });
}

function present(files: readonly SlackFile[]): readonly SlackFile[] {
  return files.filter(({ mode }) => mode !== "tombstone");
}

async function download(
  file: SlackFile,
  { botToken, apiUrl }: DownloadOptions,
  signal: AbortSignal,
): Promise<Response> {
  const url = URL.parse(file.url_private_download ?? file.url_private ?? "");
  if (url === null || !isSlacks(url, apiUrl)) {
    throw rejected(`the address of a file is not Slack's: ${url?.host}`, "Send the file again.");
  }
  // Without a right to the file Slack redirects to a sign-in page, which is not the file: do not follow.
  const response = await fetch(url, { headers: { authorization: `Bearer ${botToken}` }, redirect: "manual", signal });
  if (response.status === 302)
    throw forbidden("the app lacks the scope files:read", "Add it and install the app again.");
  return response;
}

/** Whether an address is Slack's: the token is sent nowhere else. */
function isSlacks(url: URL, apiUrl: string): boolean {
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(?:^|\.)slack(?:-files|-gov)?\.com$/.test(url.hostname);
}

/** An attachment of a message: a shared message, a link's preview, or an app's addition. Untrusted. */
export interface SlackAttachment {
  /** True for a message of another place that a person shared ("Forward message"). */
  readonly is_share?: boolean;
  readonly author_name?: string;
  readonly author_id?: string;
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

/** The files of a message and the messages that it shares, to be compared: a link's preview is none of them. */
export function contentsOf({
  files = [],
  attachments,
}: {
  readonly files?: readonly SlackFile[];
  readonly attachments?: readonly SlackAttachment[];
}): string {
  const shares = sharesIn(attachments).map(({ text, fallback }) => text || fallback);
  const ids = present([...files, ...sharedFiles(attachments)]).map(({ id }) => id);
  return JSON.stringify([ids, shares]);
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
  const quotes = sharesIn(attachments).map(
    async ({ text, fallback, author_name: writer, author_id: id, channel_name: channel }) => ({
      kind: "forward" as const,
      text: (await toMarkdown(text || fallback || "")).trim(),
      ...(writer === undefined ? {} : { writer }),
      ...(id === undefined ? {} : { writerId: id }),
      ...(channel === undefined ? {} : { origin: `#${channel}` }),
    }),
  );
  return Promise.all(quotes);
}
