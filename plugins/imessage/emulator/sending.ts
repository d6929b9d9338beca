import type { UploadedFile } from "@hermes/emulator";
import type { Fields } from "./fields.ts";
import { badRequest, imessageError, scriptFailed, sendFailed } from "./refusal.ts";
import type { Chat, NewRow, Row, Service } from "./rows.ts";
import { messageJson } from "./serialize.ts";
import type { World } from "./world.ts";

type What = "Message" | "Attachment";

const METHODS = ["apple-script", "private-api"] as const;

/** How a message is sent: by a script, or from inside Messages. */
type Method = (typeof METHODS)[number];

/** `POST message/text`. */
export async function sendText(world: World, fields: Fields): Promise<unknown> {
  const chatGuid = fields.required("chatGuid");
  const text = fields.text("message");
  if (text === undefined) throw badRequest("The message field must be present.");
  const method = methodIn(fields, ["effectId", "subject", "selectedMessageGuid", "ddScan", "attributedBody"]);
  const tempGuid = tempGuidIn(
    world,
    fields,
    method,
    (name) => `Message is already queued to be sent! (Temp GUID: ${name})`,
  );
  if (text === "" && method === "apple-script") {
    throw badRequest("A 'message' is required when sending via AppleScript");
  }
  if (text === "" && !fields.has("subject")) {
    throw badRequest("A 'message' or 'subject' is required when sending via the Private API");
  }
  const replyTo = fields.text("selectedMessageGuid");
  const values = { text, subject: fields.text("subject") ?? null, threadOriginatorGuid: replyTo ?? null };
  const row = await send(world, { what: "Message", chatGuid, method, tempGuid, values });
  return { data: { ...answered(row), ...(tempGuid === "" ? {} : { tempGuid }) }, message: "Message sent!" };
}

/** `POST message/attachment`: a file of a form. Its answer does not say the client's own name for it. */
export async function sendAttachment(world: World, fields: Fields, files: readonly UploadedFile[]): Promise<unknown> {
  const chatGuid = fields.required("chatGuid");
  const name = fields.required("name");
  const method = methodIn(fields, ["effectId", "subject", "selectedMessageGuid", "attributedBody"]);
  const tempGuid = tempGuidIn(world, fields, method, () => "Attachment is already queued to be sent!");
  const file = files.find(({ field }) => field === "attachment");
  if (file === undefined || file.content.length === 0) throw badRequest("Attachment not provided or was empty!");
  const { mediaType, content } = file;
  const attachment = world.database.attach({ name, mediaType, content, isPicture: SHOWN.test(mediaType) }, true);
  const replyTo = fields.text("selectedMessageGuid");
  const values = { text: "\ufffc", attachments: [attachment], threadOriginatorGuid: replyTo ?? null };
  const row = await send(world, { what: "Attachment", chatGuid, method, tempGuid, values });
  return { data: answered(row), message: "Attachment sent!" };
}

const SHOWN = /^image\/(?:png|jpeg|gif|webp|heic)$/;

export function answered(row: Row): Record<string, unknown> {
  return messageJson(row, { chats: true, attributedBody: true });
}

export interface Send {
  readonly what: What;
  readonly chatGuid: string;
  readonly method: Method;
  /** The client's name for it; empty where it has none. */
  readonly tempGuid: string;
  readonly values: Partial<NewRow>;
}

/** Has Messages send, and waits until the row is there. While it does, the client's name for it is taken. */
export async function send(world: World, sending: Send): Promise<Row> {
  const { tempGuid, what } = sending;
  if (tempGuid !== "") world.sending.add(tempGuid);
  try {
    await world.mac.wait(world.mac.state.sendTakesMs);
    const row = await carryOut(world, sending);
    if (row.error !== 0) throw sendFailed(what, messageJson(row, { chats: true }));
    return row;
  } finally {
    world.sending.delete(tempGuid);
  }
}

async function carryOut(world: World, { what, chatGuid, method, tempGuid, values }: Send): Promise<Row> {
  const { mac, database } = world;
  if (method === "private-api") checkPrivateApi(world, what);
  if (!mac.state.isSignedIn) throw scriptFailed(what, scriptError("Can’t get 1st account whose enabled = true."));
  const exact = database.chat(chatGuid);
  const chat = exact ?? alike(world, chatGuid, method);
  if (chat === undefined) {
    const error = method === "private-api" ? "Chat does not exist!" : scriptError(`Can’t get chat id "${chatGuid}".`);
    throw scriptFailed(what, error);
  }
  const late = world.lateErrors.shift();
  const isKnown = chat.style === 43 || !world.unreachable.has(chat.identifier);
  const row = database.insert({ ...values, chat, author: "bot", isFromMe: true, error: isKnown ? 0 : 22 });
  // The server looks for the row under the chat that it was told.
  if (chat.guid !== chatGuid) {
    world.events.tellNew(row, false);
    await mac.wait(mac.state.looksForMs);
    throw sendFailed(what, null);
  }
  if (row.error === 0) tell(world, row, tempGuid, late);
  return row;
}

/** A send makes two events of a new message, and one of its arrival. One that fails later makes none of that. */
function tell(world: World, row: Row, tempGuid: string, late: World["lateErrors"][number] | undefined): void {
  const { events, database, clock } = world;
  if (tempGuid !== "") events.tellMatch(row, tempGuid);
  events.tellNew(row, false);
  if (late !== undefined) {
    clock.setTimer(late.afterMs, () => {
      row.error = late.code;
    });
    return;
  }
  if (database.isToOneself(row.chat)) {
    const { chat, text, attachments, author } = row;
    events.tellNew(database.insert({ chat, text, attachments, author, isFromMe: false }), false);
  }
  if (row.chat.service === "SMS") return;
  row.dateDelivered = database.now;
  events.tellChanged(row);
}

/** The chat that Messages takes, though it has another guid; a new one for somebody who was never written to. */
function alike({ database }: World, guid: string, method: Method): Chat | undefined {
  const [service = "", style = "", identifier = ""] = guid.split(";");
  const isOf = (chat: Chat) => chat.identifier === identifier && (chat.style === 43) === (style === "+");
  const known = database.chats.find((chat) => isOf(chat) && (service === "any" || chat.service === service));
  if (known !== undefined || method === "private-api" || style !== "-") return known;
  const isAddress = /^(?:\+\d{5,15}|\S+@\S+)$/.test(identifier) && /^(?:iMessage|SMS)$/.test(service);
  return isAddress ? database.privateChat(database.handle(identifier, service as Service)) : undefined;
}

function checkPrivateApi({ mac }: World, what: What): void {
  const { privateApi, helperConnected } = mac.state;
  if (privateApi && helperConnected) return;
  const error = privateApi ? "iMessage Private API Helper is not connected!" : "iMessage Private API is not enabled!";
  throw imessageError(`${what} Send Error`, error);
}

function scriptError(what: string): string {
  return `execution error: Messages got an error: ${what} (-1728)`;
}

/** Some fields only the private API can send. */
function methodIn(fields: Fields, forcing: readonly string[]): Method {
  const asked = fields.oneOf("method", METHODS);
  return asked === "private-api" || forcing.some((name) => fields.has(name)) ? "private-api" : "apple-script";
}

function tempGuidIn(world: World, fields: Fields, method: Method, busy: (name: string) => string): string {
  const tempGuid = fields.text("tempGuid") ?? "";
  if (method === "apple-script" && tempGuid === "") {
    throw badRequest("A 'tempGuid' is required when sending via AppleScript");
  }
  if (world.sending.has(tempGuid)) throw badRequest(busy(tempGuid));
  return tempGuid;
}
