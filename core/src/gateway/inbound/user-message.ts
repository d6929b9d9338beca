import { hash } from "node:crypto";
import type { Conversation } from "../../adapter/conversation.ts";
import type { Attachment, InboundMessage, Quote, Reference, Sender } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { describeItem } from "../../adapter/shared-items.ts";
import { withNumbers, withoutHidden } from "../../base/hidden-text.ts";
import { shortName } from "../../base/one-line.ts";
import { sizeText } from "../../base/text.ts";
import { fenced } from "../../markdown/fence.ts";
import { mark, withoutMarks } from "../../model/mark.ts";
import type { NewMessage } from "../../model/transcript.ts";
import { quotedLines, writerMark } from "../../model/writer-mark.ts";
import { type Access, keyOf } from "../account/access.ts";
import { keptAmong } from "./attached-files.ts";

/**
 * What the transcript keeps of a message from a platform: the sender's words, and in marks that people cannot write
 * what Hermes knows of it. Names that people chose themselves are quoted data on one line; in others' words nothing is
 * hidden from the person who brings them along.
 */
export function userMessage(
  message: InboundMessage,
  surface: SessionKey,
  { isOperator }: Pick<Access, "isOperator">,
  text = message.text,
): NewMessage {
  const { sender, conversation, refersTo, quotes = [], items = [], attachments = [] } = message;
  const parts = [
    isMarked(conversation, isOperator) ? writerMark("from", writerOf(sender), isOperator) : "",
    withoutMarks(text),
    ...(refersTo === undefined ? [] : [renderReference(refersTo, sender)]),
    ...quotes.map(renderQuote),
    ...items.map((item) => mark(describeItem(item))),
    ...attachments.map(attached),
  ];
  const files = keptAmong(attachments);
  const whole = parts.filter((part) => part !== "").join("\n");
  return { role: "user", text: whole, surface, ...(files.length > 0 ? { files } : {}) };
}

/** A message of the transcript, asked once more: it has its marks, by which the words of others in it stay theirs. */
export function askedAgain(
  { sender, conversation }: InboundMessage,
  surface: SessionKey,
  { isOperator }: Pick<Access, "isOperator">,
  { text, files }: Pick<NewMessage, "text" | "files">,
): NewMessage {
  const asked = text.replace(/^⟦asked again by [^⟦⟧]*⟧\n/, "");
  const isSaid = isMarked(conversation, isOperator);
  const by = isSaid ? `${writerMark("asked again by", writerOf(sender), isOperator)}\n` : "";
  return { role: "user", text: by + asked, surface, files };
}

/** An operator's own words in a private chat stand for themselves. */
function isMarked({ kind }: Conversation, isOperator: boolean): boolean {
  return kind === "group" || !isOperator;
}

/** Two people may call themselves alike: a sign that comes from the id, and shows nothing of it, tells them apart. */
function writerOf(sender: Sender): string {
  const sign = hash("sha256", keyOf(sender), "hex").slice(0, 6);
  return `${quoteName(shortName(sender.name ?? "") || sender.id)} #${sign}`;
}

function renderQuote({ text, writer, origin, isStranger }: Quote): string {
  const by = writer === undefined ? "" : `, written by ${quoteName(writer)}${isStranger ? ", a stranger" : ""}`;
  const where = origin === undefined ? "" : `, from ${quoteName(origin)}`;
  return quoted(`forwarded${by}${where}`, text);
}

/** The message that another one replies to. */
function renderReference(
  { text = "", writer, isOwn, isStranger, isClaimed, origin }: Reference,
  sender: Sender,
): string {
  const where = origin === undefined ? "" : `, from ${quoteName(origin)}`;
  const claim = isClaimed ? ", as the sender's app quotes it" : "";
  return quoted(`in reply to ${repliedTo()}${where}${claim}`, text);

  function repliedTo(): string {
    if (isOwn) return "your own message";
    if (writer?.id === undefined || writer.id === "") {
      return writer?.name === undefined ? "somebody's message" : `${quoteName(writer.name)}, a stranger`;
    }
    const by = { ...writer, id: writer.id };
    if (keyOf(by) === keyOf(sender)) return "an earlier message of the same sender";
    return `${writerOf(by)}${isStranger ? ", a stranger" : ""}`;
  }
}

/** Words of others behind a mark. */
function quoted(about: string, text: string): string {
  return [mark(about), ...quotedLines(withoutMarks(withoutHidden(text)).trim())].join("\n");
}

function attached({ name, mediaType, size, text, isLost, limit }: Attachment): string {
  const bytes = size === 0 ? "" : `, ${size} bytes`;
  const tooLarge = limit && `larger than ${sizeText(limit)}, the most that can be read here`;
  const why = tooLarge ?? (isLost ? "could not be fetched" : undefined);
  const unread = why === undefined ? "" : `, ${why}, which its sender is told`;
  const label = mark(`attached: ${quoteName(name)}, ${mediaType}${bytes}${unread}`);
  return text === undefined
    ? label
    : `${label}\n${fenced(withoutMarks(withNumbers(text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n"))))}`;
}

function quoteName(name: string): string {
  return JSON.stringify(shortName(name));
}
