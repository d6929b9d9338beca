import { shortName } from "@hermes/core";
import type { proto } from "@whiskeysockets/baileys";
import { toId } from "../source.ts";

/** Returns a message's words; empty for one without: a reaction, a vote, an instruction to the device. */
export function textOf(content: proto.IMessage): string {
  return (
    content.conversation ??
    content.extendedTextMessage?.text ??
    content.imageMessage?.caption ??
    content.videoMessage?.caption ??
    content.documentMessage?.caption ??
    pressedIn(content) ??
    eventIn(content) ??
    ""
  );
}

/** Returns the label of a pressed button or list entry. Others wrote it, so it is no command of the person. */
function pressedIn(content: proto.IMessage): string | undefined {
  const label =
    content.buttonsResponseMessage?.selectedDisplayText ??
    content.templateButtonReplyMessage?.selectedDisplayText ??
    content.listResponseMessage?.title;
  return label ? `(a choice: ${shortName(label)})` : undefined;
}

function eventIn({ eventMessage: event }: proto.IMessage): string | undefined {
  return event ? `(an event: ${[event.name, event.description].filter(Boolean).join(": ")})` : undefined;
}

export function hasFiles(content: proto.IMessage): boolean {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage } = content;
  return [imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage].some(Boolean);
}

/** Whom a message addresses, and whether its words are the sender's own. */
export interface Audience {
  readonly mentioned: readonly string[];
  /** The writer of the message that it replies to. */
  readonly repliesTo: string | null;
  /** Passed on from another chat. */
  readonly isForward: boolean;
}

export function audienceOf(content: proto.IMessage): Audience {
  const info = contextOf(content);
  return {
    mentioned: (info?.mentionedJid ?? []).map(toId),
    repliesTo: info?.participant && info.quotedMessage ? toId(info.participant) : null,
    isForward: info?.isForwarded === true || (info?.forwardingScore ?? 0) > 0,
  };
}

/** Returns the context of a message, which each kind has in the same field. */
export function contextOf(content: proto.IMessage): proto.IContextInfo | undefined {
  const kinds: readonly { readonly contextInfo?: proto.IContextInfo | null }[] = Object.values(content).filter(
    (kind) => typeof kind === "object" && kind !== null,
  );
  return kinds.find(({ contextInfo }) => contextInfo)?.contextInfo ?? undefined;
}
