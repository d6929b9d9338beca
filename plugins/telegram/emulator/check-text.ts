import { badRequest } from "./refusal.ts";
import type { WireEntity } from "./wire.ts";

/** UTF-16 units of a message's text, and of the text beside a file ("sendMessage", "sendDocument"). */
const LONGEST_TEXT = 4096;
const LONGEST_CAPTION = 1024;

/** Throws the platform's refusal of a text that cannot be a message. */
export function checkText(text: string, entities: readonly WireEntity[], parseMode: string): void {
  if (text.trim() === "") throw badRequest("message text is empty");
  if (text.length > LONGEST_TEXT) throw badRequest("message is too long");
  checkEntities(text, entities, parseMode);
}

export function checkCaption(caption: string, entities: readonly WireEntity[], parseMode: string): void {
  if (caption.length > LONGEST_CAPTION) throw badRequest("message caption is too long");
  checkEntities(caption, entities, parseMode);
}

/** Hermes sends entities, so the emulator reads no markup. */
function checkEntities(text: string, entities: readonly WireEntity[], parseMode: string): void {
  if (parseMode !== "") throw badRequest("unsupported parse_mode");
  for (const { type, offset, length, url } of entities) {
    const isWithin = Number.isInteger(offset) && Number.isInteger(length) && offset >= 0 && length > 0;
    if (!isWithin || offset + length > text.length) {
      throw badRequest(
        `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${text.length}`,
      );
    }
    if (isInsidePair(text, offset) || isInsidePair(text, offset + length)) {
      throw badRequest(`entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol`);
    }
    if (type === "text_link" && !url) throw badRequest('can\'t parse entities: field "url" must be of type String');
  }
}

function isInsidePair(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));
}
