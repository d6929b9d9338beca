import type { RequestBody } from "@hermes/emulator";
import { attachmentOf, type Download, download } from "./attachments.ts";
import { edit, react, unsend } from "./changing.ts";
import { Fields } from "./fields.ts";
import { newChat } from "./new-chat.ts";
import { chatOf, findChat, findMessage, messagesOfChat, queryChats, queryMessages, serverInfo } from "./reading.ts";
import { helperNotConnected, notFound, privateApiOff, serverError } from "./refusal.ts";
import { sendAttachment, sendText } from "./sending.ts";
import { attachmentJson, handleJson } from "./serialize.ts";
import type { World } from "./world.ts";

/** A call as a route gets it. */
interface Call {
  readonly guid: string;
  readonly query: URLSearchParams;
  readonly fields: Fields;
  readonly files: RequestBody["files"];
}

export interface Route {
  /** What is behind `/api/v1/`. */
  readonly path: string;
  /** What a script calls it, besides its own name. */
  readonly operation: string;
  readonly needsPrivateApi?: true;
  run(world: World, call: Call): unknown;
}

/** By method and path, as the log has them. Where two fit, the first. */
export const ROUTES: Readonly<Record<string, Omit<Route, "path">>> = {
  "GET ping": { operation: "home", run: () => ({ message: "Ping received!", data: "pong" }) },
  "GET server/info": { operation: "home", run: serverInfo },
  "POST chat/query": { operation: "home", run: (world, { fields }) => queryChats(world, fields) },
  "POST chat/new": { operation: "send", run: (world, { fields }) => newChat(world, fields) },
  "GET chat/:guid/message": {
    operation: "history",
    run: (world, { guid, query }) => messagesOfChat(world, guid, query, new Fields(Object.fromEntries(query))),
  },
  "POST chat/:guid/typing": { operation: "typing", needsPrivateApi: true, run: typing("Successfully started typing!") },
  "DELETE chat/:guid/typing": {
    operation: "typing",
    needsPrivateApi: true,
    run: typing("Successfully stopped typing!"),
  },
  "POST chat/:guid/read": { operation: "read", needsPrivateApi: true, run: markRead(true) },
  "POST chat/:guid/unread": { operation: "read", needsPrivateApi: true, run: markRead(false) },
  "GET chat/:guid": { operation: "home", run: (world, { guid, query }) => findChat(world, guid, query) },
  "POST message/query": { operation: "history", run: (world, { fields }) => queryMessages(world, fields) },
  "GET message/count/updated": { operation: "history", run: countUpdated },
  "POST message/text": { operation: "send", run: (world, { fields }) => sendText(world, fields) },
  "POST message/attachment": {
    operation: "send",
    run: (world, { fields, files }) => sendAttachment(world, fields, files),
  },
  "POST message/react": { operation: "react", needsPrivateApi: true, run: (world, { fields }) => react(world, fields) },
  "POST message/:guid/edit": {
    ...{ operation: "edit", needsPrivateApi: true },
    run: (world, { guid, fields }) => edit(world, guid, fields),
  },
  "POST message/:guid/unsend": {
    ...{ operation: "deleteMessage", needsPrivateApi: true },
    run: (world, { guid }) => unsend(world, guid),
  },
  "GET message/:guid": { operation: "history", run: (world, { guid, query }) => findMessage(world, guid, query) },
  "GET attachment/:guid/download": {
    operation: "download",
    run: (world, { guid, query }) => download(world, guid, query),
  },
  "GET attachment/:guid": {
    operation: "download",
    run: (world, { guid }) => ({ data: attachmentJson(attachmentOf(world, guid)) }),
  },
  "GET webhook": {
    operation: "webhook",
    run: ({ webhooks }, { query }) => {
      return { message: "Successfully fetched webhooks!", data: webhooks.list(query.get("url"), query.get("id")) };
    },
  },
  "POST webhook": {
    operation: "webhook",
    run: ({ webhooks }, { fields }) => {
      const hook = webhooks.add(fields.text("url"), fields.list("events"));
      return { message: "Successfully created webhook!", data: hook };
    },
  },
  "DELETE webhook/:guid": {
    operation: "webhook",
    run: ({ webhooks }, { guid }) => {
      webhooks.remove(guid);
      return { message: "Successfully deleted webhook!" };
    },
  },
  "GET contact": { operation: "home", run: (world) => ({ data: contacts(world) }) },
  "POST contact/query": {
    operation: "home",
    run: (world, { fields }) => ({ data: contacts(world, fields.list("addresses").map(String)) }),
  },
  "GET handle/availability/imessage": { operation: "home", needsPrivateApi: true, run: availability },
  "GET handle/:guid": {
    operation: "home",
    run: ({ database }, { guid }) => {
      const handle = database.handles.find(({ address }) => address === guid);
      if (handle === undefined) throw notFound("Handle does not exist!");
      return { data: handleJson(handle) };
    },
  },
};

/** Throws for a call that only the helper inside Messages can carry out, when it is not there. */
export function checkPrivateApi({ mac }: World): void {
  if (!mac.state.privateApi) throw privateApiOff();
  if (!mac.state.helperConnected) throw helperNotConnected();
}

export function isDownload(result: unknown): result is Download {
  return typeof result === "object" && result !== null && "content" in result;
}

function typing(message: string): Route["run"] {
  return (world, { guid }) => {
    chatOf(world, guid);
    return { message };
  };
}

function markRead(isRead: boolean): Route["run"] {
  return (world, { guid }) => {
    chatOf(world, guid);
    world.events.tell("chat-read-status-changed", { chatGuid: guid, read: isRead });
    return { message: `Successfully marked chat as ${isRead ? "read" : "unread"}!` };
  };
}

function countUpdated({ database }: World, { query }: Call): unknown {
  const after = new Fields(Object.fromEntries(query)).number("after") ?? 0;
  const changed = database.rows.filter(({ dateDelivered, dateRead, dateEdited }) =>
    [dateDelivered, dateRead, dateEdited].some((date) => (date ?? 0) >= after),
  );
  return { data: { total: changed.length } };
}

function availability({ unreachable }: World, { query }: Call): unknown {
  const address = query.get("address");
  if (address === null) throw serverError("No address provided!");
  return { data: { available: !unreachable.has(address) } };
}

/** The server finds a number by its end, too: without up to three of the characters that it begins with ("findContact"). */
function isAlike(asked: string, address: string): boolean {
  if (asked === address) return true;
  return !asked.includes("@") && [1, 2, 3].some((from) => address.endsWith(asked.slice(from)));
}

/** Those of these addresses that are in the Mac's contacts, each with a card. */
function contacts({ database }: World, addresses?: readonly string[]): unknown[] {
  const ofHandles = database.handles.flatMap(({ name, address }) => {
    const isOnCard = database.cards.some((card) => card.addresses.includes(address));
    return name === null || isOnCard ? [] : [{ name, addresses: [address] }];
  });
  const isAsked = (address: string) => addresses?.some((asked) => isAlike(asked, address)) ?? true;
  const known = [...database.cards, ...ofHandles].filter((card) => card.addresses.some(isAsked));
  return known.map(({ name, addresses }, at) => {
    const [firstName = "", ...rest] = name.split(" ");
    const lines = addresses.map((address) => ({ address, id: `${at}-${address}` }));
    return {
      phoneNumbers: lines.filter(({ address }) => !address.includes("@")),
      emails: lines.filter(({ address }) => address.includes("@")),
      ...{ firstName, lastName: rest.join(" "), displayName: name, nickname: "", birthday: "", avatar: "" },
      ...{ sourceType: "api", id: String(at) },
    };
  });
}
