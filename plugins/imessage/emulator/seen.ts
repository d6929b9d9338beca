import type { EmulatedMessage } from "@hermes/emulator";
import type { Row } from "./rows.ts";

/** What people see of a row: no tapback, nothing that was taken back or not sent. */
export function isSeen({ associatedMessageType, partCount, itemType, error }: Row): boolean {
  return associatedMessageType === null && partCount > 0 && itemType === 0 && error === 0;
}

/** A row as people read it. */
export function asSeen({ guid, author, text, attachments, earlierTexts, ...row }: Row): EmulatedMessage {
  const files = attachments.map(({ file }) => file);
  const said = { id: guid, author, text: (text ?? "").replaceAll("\ufffc", ""), isEdited: earlierTexts.length > 0 };
  const choices = author === "bot" ? askedTapbacks(said.text).map(({ label }) => label) : [];
  const raw = { guid, text, threadOriginatorGuid: row.threadOriginatorGuid };
  const sent = author === "bot" && files.length > 0 ? { files } : {};
  return {
    ...said,
    raw,
    fileNames: files.map(({ name }) => name),
    ...sent,
    ...(choices.length > 0 ? { choices } : {}),
  };
}

/** The lines of a text that say which tapback stands for what. */
export function askedTapbacks(text: string): readonly { readonly reaction: string; readonly label: string }[] {
  return [...text.matchAll(/^(👍|👎) (.+)$/gmu)].map(([, sign, label = ""]) => {
    return { reaction: sign === "👍" ? "like" : "dislike", label };
  });
}
