import { type Attachment, describeItem, type Quote, type SharedItem } from "@hermes/core";

/** A message with its command in lower case: phones capitalise the first letter of a message. */
export function withCommand(text: string): string {
  return text.replace(/^\s*\/([A-Za-z][\w-]*)(?=\s|$)/, (command) => command.trim().toLowerCase());
}

/** What a forwarded message says, if only by its files. WhatsApp tells neither who wrote it nor where. */
export function quotesOf(words: string, files: readonly Attachment[], items: readonly SharedItem[]): Quote[] {
  const text = [words, ...items.map((item) => `(${describeItem(item)})`)].filter((part) => part !== "").join("\n");
  return text.trim() === "" && files.length === 0 ? [] : [{ kind: "forward", text }];
}

/** The telephone numbers and mail addresses of a contact card (vCard), which is what WhatsApp's apps share. */
export function addressesIn(vcard: string): string[] {
  return vcard.split(/\r?\n/).flatMap((line) => {
    const [, value] = /^(?:item\d+\.)?(?:TEL|EMAIL)(?:;[^:]*)?:(.+)$/i.exec(line) ?? [];
    return value === undefined ? [] : [value.trim()];
  });
}
