import { randomUUID } from "node:crypto";
import type { Clock } from "@hermes/core";
import type { EmulatedFile } from "@hermes/emulator";
import type { Attachment, Chat, Handle, NewRow, Row, Service } from "./rows.ts";

/** The account that is signed in to Messages on the Mac, and writes as Hermes. */
export const SELF = { address: "hermes@example.com", name: "Hermes" } as const;

/** The database of the Messages app (`chat.db`), and the Mac's contacts. */
export class Database {
  readonly handles: Handle[] = [];
  readonly chats: Chat[] = [];
  readonly rows: Row[] = [];
  /** What was written to the account, and has not come to the Mac. */
  readonly cloud: Row[] = [];
  /** Cards of several addresses among the Mac's contacts; a handle's name stands for one of its own. */
  readonly cards: { readonly name: string; readonly addresses: readonly string[] }[] = [];
  /** The account's own addresses, of which the server tells one. */
  readonly ownAddresses = new Set<string>([SELF.address]);
  readonly #clock: Pick<Clock, "now">;
  #lastRowId = 1_000;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  get now(): number {
    return this.#clock.now();
  }

  /** Somebody's handle, which is made where there is none. A handle is of one service. */
  handle(address: string, service: Service = "iMessage", name: string | null = null): Handle {
    const known = this.handles.find((one) => one.address === address && one.service === service);
    if (known) return known;
    const handle = { rowId: ++this.#lastRowId, address, service, name };
    this.handles.push(handle);
    return handle;
  }

  /** A private chat with somebody, which is made where there is none. */
  privateChat(handle: Handle): Chat {
    const known = this.chats.find(({ style, participants }) => style === 45 && participants[0] === handle);
    if (known) return known;
    const { address, service } = handle;
    return this.#addChat({ guid: `${service};-;${address}`, service, identifier: address }, 45, [handle]);
  }

  group(identifier: string, displayName: string, participants: readonly Handle[]): Chat {
    const chat = this.#addChat({ guid: `iMessage;+;${identifier}`, service: "iMessage", identifier }, 43, participants);
    return Object.assign(chat, { displayName });
  }

  isToOneself({ style, identifier }: Chat): boolean {
    return style === 45 && this.ownAddresses.has(identifier);
  }

  /** By its guid, which must match exactly. */
  chat(guid: string): Chat | undefined {
    return this.chats.find((chat) => chat.guid === guid);
  }

  message(guid: string): Row | undefined {
    return this.rows.find((row) => row.guid === guid);
  }

  attachment(guid: string): Attachment | undefined {
    return this.rows.flatMap(({ attachments }) => attachments).find((one) => one.guid === guid);
  }

  insert(values: NewRow): Row {
    const row = this.compose(values);
    this.add(row);
    return row;
  }

  /** Adds a row, whose time may be long past by then. */
  add(row: Row): void {
    row.rowId = ++this.#lastRowId;
    this.rows.push(row);
  }

  /** A row that is not in the database yet; what is left out is as Messages leaves it. */
  compose(values: NewRow): Row {
    const { chat, isFromMe, attachments = [] } = values;
    return {
      ...{ rowId: 0, guid: randomUUID().toUpperCase() },
      handle: isFromMe && chat.style === 43 ? null : (chat.participants[0] ?? null),
      ...{ text: null, earlierTexts: [], linkedAttachments: attachments.length, subject: null, error: 0 },
      ...{ dateCreated: this.now, dateDelivered: null, dateRead: null, dateEdited: null },
      ...{ itemType: 0, groupTitle: null, groupActionType: 0, otherHandle: 0 },
      ...{ associatedMessageGuid: null, associatedMessageType: null, threadOriginatorGuid: null },
      ...{ balloonBundleId: null, expressiveSendStyleId: null, partCount: 1, mentions: [], toldAt: null },
      ...values,
      attachments,
    };
  }

  attach(file: EmulatedFile, isOutgoing: boolean): Attachment {
    const rowId = ++this.#lastRowId;
    const prefix = isOutgoing ? "" : "at_0_";
    return { rowId, guid: `${prefix}${randomUUID().toUpperCase()}`, file, isOutgoing, isOnDisk: true };
  }

  #addChat(
    names: Pick<Chat, "guid" | "service" | "identifier">,
    style: 43 | 45,
    participants: readonly Handle[],
  ): Chat {
    const chat = { rowId: ++this.#lastRowId, ...names, style, displayName: "", participants: [...participants] };
    this.chats.push(chat);
    return chat;
  }
}
