import { shortName } from "../base/one-line.ts";

/** Something that a person shares and that reaches the model as data on one line. All strings are from outside. */
export type SharedItem =
  | { readonly kind: "poll"; readonly question: string; readonly options: readonly string[] }
  /** `addresses`: telephone numbers, mail addresses. */
  | { readonly kind: "contact"; readonly name: string; readonly addresses: readonly string[] }
  | {
      readonly kind: "place";
      readonly name?: string | undefined;
      readonly address?: string | undefined;
      readonly latitude: number;
      readonly longitude: number;
    };

/** The most options of a poll and addresses of a contact that are told. */
const MOST_PARTS = 12;

/**
 * Describes a shared item on one line, with every word from outside quoted. Hermes does this for
 * `InboundMessage.items`; an adapter does it where such an item stands within a quote.
 *
 * @example
 * ```ts
 * describeItem({ kind: "poll", question: "Lunch?", options: ["Yes", "No"] }); // a poll: "Lunch?", options "Yes", "No"
 * ```
 */
export function describeItem(item: SharedItem): string {
  switch (item.kind) {
    case "poll":
      return `a poll: ${quoted(item.question)}${listed(", options ", item.options)}`;
    case "contact":
      return `a contact: ${quoted(item.name)}${listed(", ", item.addresses)}`;
    case "place": {
      const { name, address, latitude, longitude } = item;
      const names = [name, address]
        .filter((part) => part !== undefined && part !== "")
        .map((part) => quoted(part ?? ""));
      return `a place: ${[...names, Number(latitude), Number(longitude)].join(", ")}`;
    }
  }
}

function listed(before: string, parts: readonly string[]): string {
  if (parts.length === 0) return "";
  const more = parts.length > MOST_PARTS ? ` and ${parts.length - MOST_PARTS} more` : "";
  return before + parts.slice(0, MOST_PARTS).map(quoted).join(", ") + more;
}

function quoted(text: string): string {
  return JSON.stringify(shortName(text));
}

/** A kind of message that Hermes cannot read. `other`: one that has no name here. */
export type UnreadableKind =
  | "sticker"
  | "story"
  | "form"
  | "order"
  | "payment"
  | "paid-media"
  | "game"
  | "gift"
  | "event"
  | "list"
  | "other";

const UNREADABLE: Readonly<Record<UnreadableKind, string>> = {
  sticker: "stickers",
  story: "stories",
  form: "forms",
  order: "orders",
  payment: "payments",
  "paid-media": "paid media",
  game: "games",
  gift: "gifts",
  event: "invitations to events",
  list: "lists of this app",
  other: "messages of this kind",
};

/** What somebody is told who sent nothing that Hermes can read. */
export function cannotRead(kind: UnreadableKind): string {
  return `Hermes cannot read ${UNREADABLE[kind] ?? UNREADABLE.other}. Say it in words.`;
}
