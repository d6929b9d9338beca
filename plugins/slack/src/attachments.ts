import { type Attachment, decodeText, isTextFile, type Logger, readBody, reasonOf } from "@hermes/core";

/** A file of a message, as events show it ("File object"). */
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
  readonly logger: Logger;
}

/** A message waits no longer for its files, in milliseconds. */
const DOWNLOADED_WITHIN_MS = 10_000;

/** Names the files of a message; what is text and not too large comes along. */
export function readFiles(files: readonly SlackFile[], options: DownloadOptions): Promise<Attachment[]> {
  return Promise.all(files.filter(({ mode }) => mode !== "tombstone").map((file) => readFile(file, options)));
}

async function readFile(file: SlackFile, options: DownloadOptions): Promise<Attachment> {
  const { name, mimetype: mediaType = "application/octet-stream", size = 0 } = file;
  const attachment = { name: name || (file.id ?? "file"), mediaType, size };
  if (!isTextFile(attachment)) return attachment;
  try {
    const text = await download(file, options);
    return text === null ? attachment : { ...attachment, text };
  } catch (error) {
    options.logger.warn({ file: file.id, reason: reasonOf(error) }, "a file could not be downloaded");
    return attachment;
  }
}

/** Null for what is no text, or larger than Slack said. */
async function download(file: SlackFile, { botToken, apiUrl }: DownloadOptions): Promise<string | null> {
  const url = new URL(file.url_private_download ?? file.url_private ?? "");
  if (!isSlacks(url, apiUrl)) throw new Error(`its address is not Slack's: ${url.host}`);
  // Whoever has no right to the file is led to a page where people sign in: not followed, since that is no file.
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${botToken}` },
    redirect: "manual",
    signal: AbortSignal.timeout(DOWNLOADED_WITHIN_MS),
  });
  if (response.status !== 200) {
    throw new Error(`Slack answered with HTTP ${response.status}; does the app have the scope files:read?`);
  }
  const content = await readBody(response);
  return content && decodeText(content);
}

/** The token goes nowhere but to Slack. */
function isSlacks(url: URL, apiUrl: string): boolean {
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(?:^|\.)slack(?:-files|-gov)?\.com$/.test(url.hostname);
}
