import { type Attachment, type Quote, shortName } from "@hermes/core";

/** A message with its command in lower case: phones capitalise the first letter of a message. */
export function withCommand(text: string): string {
  return text.replace(/^\s*\/([A-Za-z][\w-]*)(?=\s|$)/, (command) => command.trim().toLowerCase());
}

/** What a forwarded message says, if only by its files. WhatsApp tells neither who wrote it nor where. */
export function quotesOf(text: string, files: readonly Attachment[]): Quote[] {
  return text.trim() === "" && files.length === 0 ? [] : [{ kind: "forward", text }];
}

/** A place on the map, by what it is called. */
export function placeText(
  latitude: unknown,
  longitude: unknown,
  ...names: readonly (string | null | undefined)[]
): string {
  const called = names
    .map((name) => shortName(name ?? ""))
    .filter(Boolean)
    .join(", ");
  return `(a place: ${called}${called && ": "}${latitude}, ${longitude})`;
}

export function contactText(name: string | null | undefined): string {
  return `(a contact: ${shortName(name ?? "") || "without a name"})`;
}
