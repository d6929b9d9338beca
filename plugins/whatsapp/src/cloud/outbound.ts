import {
  type Clock,
  type CommandInfo,
  type Conversation,
  type Logger,
  type OutboundFile,
  type Piece,
  PlatformError,
  RecentMap,
  type SendReceipt,
  safeFileName,
} from "@hermes/core";
import type { CloudOptions } from "../config.ts";
import { notFound, uncertain } from "../errors.ts";
import type { People } from "../people.ts";
import { isBusinessScopedId, isPhoneNumber, linkTo } from "../source.ts";
import { buttonsOf } from "./choices.ts";
import type { DeliveryReports } from "./delivery-reports.ts";
import { isWindowClosed, toPlatformError } from "./errors.ts";
import type { GraphClient } from "./graph-client.ts";
import { mediaFormOf } from "./media-types.ts";
import type { WireStatus } from "./wire.ts";

interface OutboundParts {
  readonly graph: GraphClient;
  readonly options: Pick<CloudOptions, "phoneNumberId" | "template">;
  readonly people: People;
  readonly clock: Clock;
}

interface Sending {
  readonly to: Conversation;
  /** The ids of whoever is written to, the best first. */
  readonly ids: readonly string[];
  readonly piece: Piece;
  readonly key: string;
  readonly content?: Uint8Array | undefined;
}

/** How long Meta's report on a send is waited for when the answer to it was lost, in milliseconds. */
const REPORTED_WITHIN_MS = 8_000;

/** How long an upload may take, in milliseconds, if its caller waits that long. */
const UPLOADED_WITHIN_MS = 10 * 60_000;

/** How many messages are kept with their text, in case Meta refuses them afterwards, and how many by their ids alone. */
const MOST_RECENT = 200;
const MOST_KNOWN = 10_000;

/** Sends messages, and what people did not get within the 24 hours once more as a template. */
export class Outbound {
  readonly #parts: OutboundParts;
  readonly #recent = new RecentMap<string, Sending>(MOST_RECENT);
  /** What this process has sent, and Meta has not refused. */
  readonly #known = new RecentMap<string, true>(MOST_KNOWN);

  constructor(parts: OutboundParts) {
    this.#parts = parts;
  }

  async send(wanted: Omit<Sending, "ids">, reports: DeliveryReports, signal: AbortSignal): Promise<SendReceipt> {
    const { clock, people } = this.#parts;
    const sending = { ...wanted, ids: await people.addressesOf(wanted.to.chatId) };
    const messageId = await this.#post(sending, signal).catch(async (error: unknown) => {
      if (!(error instanceof PlatformError) || error.code !== "PLATFORM_UNCERTAIN") throw error;
      const reported = await reports.idOf(sending.key, REPORTED_WITHIN_MS, signal);
      if (reported === null) throw error;
      return reported;
    });
    // What was refused for good is told by its text; a file is not kept for that.
    this.#recent.set(messageId, { ...sending, content: undefined });
    this.#known.set(messageId, true);
    const number = sending.ids.find(isPhoneNumber);
    return { messageId, link: number === undefined ? undefined : linkTo(number), sentAt: clock.now() };
  }

  /** Why Meta refused what it had taken; null where the template carries it instead. */
  async refusalOf({ id, errors = [] }: WireStatus, reports: DeliveryReports): Promise<PlatformError | null> {
    const [error = {}] = errors;
    const refusal = toPlatformError({ status: 400, error, retryAfterMs: null });
    const sending = this.#recent.get(id);
    this.#recent.delete(id);
    const isKnown = this.#known.delete(id);
    if (!isWindowClosed(refusal) || this.#parts.options.template === undefined) return refusal;
    // Too long ago for its text to be there: it was refused, and no template was sent.
    if (!sending && isKnown) return refusal;
    if (!sending) return uncertain("an earlier process of Hermes sent it, and may have sent the template in its place");
    if (!this.#hasTemplateFor(sending)) return refusal;
    try {
      const ids = await this.#parts.people.addressesOf(sending.to.chatId);
      reports.alias(await this.#postTemplate({ ...sending, ids }), id);
      return null;
    } catch (thrown) {
      return thrown instanceof PlatformError ? thrown : refusal;
    }
  }

  /** Shows that what a person wrote was read, and that an answer is being written. */
  async showTyping(messageId: string, signal: AbortSignal): Promise<void> {
    await this.#call({ status: "read", message_id: messageId, typing_indicator: { type: "text" } }, { signal });
  }

  /** Shows that what a person wrote was read. */
  async markRead(messageId: string, signal: AbortSignal): Promise<void> {
    await this.#call({ status: "read", message_id: messageId }, { signal });
  }

  async #post(sending: Sending, signal: AbortSignal): Promise<string> {
    try {
      return await this.#postMessage(sending, await this.#contentOf(sending, signal), signal);
    } catch (error) {
      if (!isWindowClosed(error) || !this.#hasTemplateFor(sending)) throw error;
      return this.#postTemplate(sending, signal);
    }
  }

  async #contentOf({ piece, content }: Sending, signal: AbortSignal): Promise<object> {
    const { text, file } = piece;
    if (file === undefined || content === undefined)
      return buttonsOf(piece) ?? { type: "text", text: { body: text, preview_url: false } };
    const caption = text === "" ? {} : { caption: text };
    const { kind, mediaType } = mediaFormOf(file, content);
    const name = safeFileName(file.name);
    const id = await this.#upload({ name, mediaType }, content, signal);
    if (kind === "image") return { type: "image", image: { id, ...caption } };
    return { type: "document", document: { id, filename: name, ...caption } };
  }

  /** A file goes to Meta first; only the message that names it is seen by anybody ("Media"). */
  async #upload(
    { name, mediaType }: Pick<OutboundFile, "name" | "mediaType">,
    content: Uint8Array,
    signal: AbortSignal,
  ): Promise<string> {
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", mediaType);
    form.set("file", new Blob([Buffer.from(content)], { type: mediaType }), name);
    const { id } = await this.#parts.graph.call<{ readonly id: string }>({
      method: "POST",
      path: `${this.#parts.options.phoneNumberId}/media`,
      body: form,
      signal,
      withinMs: UPLOADED_WITHIN_MS,
    });
    return id;
  }

  #hasTemplateFor({ piece }: Sending): boolean {
    return this.#parts.options.template !== undefined && piece.file === undefined;
  }

  /** The text is the template's one variable: on one line, since Meta takes no line breaks there ("Templates"). */
  #postTemplate(sending: Sending, signal?: AbortSignal): Promise<string> {
    const { name = "", language: code = "" } = this.#parts.options.template ?? {};
    const text = sending.piece.text
      .replaceAll(/\s*\n\s*/g, " ⏎ ")
      .replaceAll(/\s+/g, " ")
      .trim();
    const components = [{ type: "body", parameters: [{ type: "text", text }] }];
    return this.#postMessage(sending, { type: "template", template: { name, language: { code }, components } }, signal);
  }

  async #postMessage({ to, ids, key }: Sending, content: object, signal?: AbortSignal): Promise<string> {
    // The key comes back with every report on the message ("Messages": up to 512 characters).
    const body = {
      recipient_type: "individual",
      ...addressAmong(ids, to),
      ...content,
      biz_opaque_callback_data: key,
    };
    const { messages } = await this.#call<{ readonly messages: readonly { readonly id: string }[] }>(body, {
      signal,
      mayBeDone: true,
    });
    return messages[0]?.id ?? "";
  }

  #call<T>(body: object, how: { readonly signal?: AbortSignal | undefined; readonly mayBeDone?: boolean }): Promise<T> {
    const { graph, options } = this.#parts;
    const path = `${options.phoneNumberId}/messages`;
    return graph.call<T>({ method: "POST", path, body: { messaging_product: "whatsapp", ...body }, ...how });
  }
}

/** A number is reached by `to`, the id that hides one by `recipient` ("Business-scoped user IDs"). */
function addressAmong(
  ids: readonly string[],
  { chatId }: Conversation,
): { readonly to: string } | { readonly recipient: string } {
  const id = ids.find((one) => isPhoneNumber(one) || isBusinessScopedId(one));
  if (id !== undefined) return isPhoneNumber(id) ? { to: id } : { recipient: id };
  throw notFound(
    `${chatId} is no address of the Cloud API`,
    'Groups and linked devices\' ids need `transport: "personal"`.',
  );
}

/** "Conversational components": so many commands, and so many characters of a name and a description. */
const MOST_COMMANDS = 30;
const LONGEST_NAME = 32;
const LONGEST_DESCRIPTION = 256;

/** People's apps list the commands behind a slash; a number works without that, so a refusal is only noted. */
export async function registerCommands(
  graph: GraphClient,
  phoneNumberId: string,
  commands: readonly CommandInfo[],
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const listed = commands
    .filter(({ name }) => name.length <= LONGEST_NAME)
    .slice(0, MOST_COMMANDS)
    .map(({ name, description, argumentHint }) => ({
      command_name: name,
      command_description: `${description} ${argumentHint}`.trim().slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    }));
  try {
    await graph.call({
      method: "POST",
      path: `${phoneNumberId}/conversational_automation`,
      body: { commands: listed },
      signal,
    });
  } catch (error) {
    if (error instanceof PlatformError && error.code === "PLATFORM_UNAUTHORISED") throw error;
    logger.warn({ error }, "the slash commands could not be registered");
  }
}
