import type { Attachment, Logger } from "@hermes/core";
import { reasonOf } from "@hermes/core";

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

/** The largest text that goes to the model, in bytes. */
const LARGEST_TEXT = 256 * 1024;

/** A message waits no longer for its files, in milliseconds. */
const DOWNLOADED_WITHIN_MS = 10_000;

const TEXT_TYPES =
  /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript|typescript|sql|x-sh|x-yaml|x-ndjson|x-httpd-php|x-python|x-ruby)\b/;

/** Names the files of a message; what is text and not too large comes along. */
export function readFiles(files: readonly SlackFile[], options: DownloadOptions): Promise<Attachment[]> {
  return Promise.all(files.filter(({ mode }) => mode !== "tombstone").map((file) => readFile(file, options)));
}

async function readFile(file: SlackFile, options: DownloadOptions): Promise<Attachment> {
  const { name, mimetype: mediaType = "application/octet-stream", size = 0 } = file;
  const attachment = { name: name || (file.id ?? "file"), mediaType, size };
  if (!TEXT_TYPES.test(mediaType) || size > LARGEST_TEXT) return attachment;
  try {
    return { ...attachment, text: await download(file, options) };
  } catch (error) {
    options.logger.warn({ file: file.id, reason: reasonOf(error) }, "a file could not be downloaded");
    return attachment;
  }
}

async function download(file: SlackFile, { botToken, apiUrl }: DownloadOptions): Promise<string> {
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
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length > LARGEST_TEXT) throw new Error("it is larger than Slack said");
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

/** The token goes nowhere but to Slack. */
function isSlacks(url: URL, apiUrl: string): boolean {
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(?:^|\.)slack(?:-files|-gov)?\.com$/.test(url.hostname);
}
