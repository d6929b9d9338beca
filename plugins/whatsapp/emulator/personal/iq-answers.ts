import { type BinaryNode, getAllBinaryNodeChildren } from "@whiskeysockets/baileys";
import { bundleNode, bytesIn, childOf, childrenOf, node, readKey, readRegistration, SERVER } from "./nodes.ts";
import { type Chat, type LinkedDevice, lidJid, numberJid, type Person, type PersonalWorld } from "./world.ts";

/** What a query is answered with; a refusal has a code. */
export type IqAnswer = { readonly content: readonly BinaryNode[] } | { readonly code: string; readonly text: string };

export interface IqContext {
  readonly world: PersonalWorld;
  readonly device: LinkedDevice;
  /** The server that takes files: `host:port`, and the largest body in bytes. */
  readonly media: { readonly host: string; readonly largest: number };
}

/** A short name for the log: namespace, type, and what is asked. */
export function nameOf(iq: BinaryNode): string {
  return ["iq", iq.attrs.xmlns, iq.attrs.type, getAllBinaryNodeChildren(iq)[0]?.tag].filter(Boolean).join(" ");
}

/** Answers what a linked device asks of the server. What is of no account here is answered with nothing. */
export function answerIq(iq: BinaryNode, context: IqContext): IqAnswer {
  switch (`${iq.attrs.xmlns} ${iq.attrs.type}`) {
    case "encrypt get":
      return answerKeys(iq, context);
    case "encrypt set":
      return storeKeys(iq, context.device);
    case "usync get":
      return { content: [answerUsync(iq, context)] };
    case "w:g2 get":
      return answerGroup(iq, context.world);
    case "w:m set":
      return { content: [mediaNode(context.media)] };
    case "abt get":
      return { content: [node("props", {}, [])] };
    case "privacy get":
      return { content: [node("privacy", {}, [node("category", { name: "readreceipts", value: "all" })])] };
    default:
      return { content: [] };
  }
}

function answerKeys(iq: BinaryNode, { world, device }: IqContext): IqAnswer {
  if (childOf(iq, "count")) return { content: [node("count", { value: String(device.oneTime.length) })] };
  if (childOf(iq, "digest")) return { content: [node("digest", {}, [])] };
  const users = childrenOf(childOf(iq, "key"), "user").flatMap(({ attrs: { jid = "" } }) => {
    const person = world.find(jid);
    return person ? [bundleNode(jid, person.phone.bundle)] : [];
  });
  return { content: [node("list", {}, users)] };
}

function storeKeys(iq: BinaryNode, device: LinkedDevice): IqAnswer {
  const rotated = childOf(iq, "rotate", "skey");
  const signed = readKey(rotated ?? childOf(iq, "skey"));
  if (signed.key.length !== 32) return { code: "406", text: "not-acceptable" };
  device.signed = signed;
  if (rotated) return { content: [] };
  if (!bytesIn(iq, "identity").equals(device.identity)) return { code: "409", text: "conflict" };
  device.registrationId = readRegistration(iq);
  for (const key of childrenOf(childOf(iq, "list"), "key")) device.oneTime.push(readKey(key));
  return { content: [] };
}

/** Which numbers are on WhatsApp, under which other ids, and with which devices ("usync"). */
function answerUsync(iq: BinaryNode, { world }: IqContext): BinaryNode {
  const usync = childOf(iq, "usync");
  const asked = new Set(getAllBinaryNodeChildren(childOf(usync, "query") ?? node("query")).map(({ tag }) => tag));
  const users = childrenOf(childOf(usync, "list"), "user").map((user) => {
    const phone = String(childOf(user, "contact")?.content ?? "");
    const jid = user.attrs.jid ?? `${phone.replace(/\D/g, "")}@${SERVER}`;
    return userNode(jid, world.find(jid), world, asked);
  });
  return node("usync", {}, [node("result", {}, []), node("list", {}, users)]);
}

function userNode(
  jid: string,
  person: Person | undefined,
  world: PersonalWorld,
  asked: ReadonlySet<string>,
): BinaryNode {
  const parts: BinaryNode[] = [];
  if (asked.has("contact")) parts.push(node("contact", { type: person ? "in" : "out" }));
  if (person && asked.has("lid") && !jid.endsWith("@lid")) parts.push(node("lid", { val: lidJid(person) }));
  if (person && asked.has("devices")) {
    const linked = person === world.owner ? [...world.devices.keys()] : [];
    const devices = [node("device", { id: "0" })];
    for (const id of linked) devices.push(node("device", { id: String(id), "key-index": String(id) }));
    parts.push(node("devices", {}, [node("device-list", {}, devices)]));
  }
  return node("user", { jid }, parts);
}

function answerGroup(iq: BinaryNode, world: PersonalWorld): IqAnswer {
  const chat = world.chats.get(iq.attrs.to ?? "");
  if (chat?.kind !== "group") return { code: "404", text: "item-not-found" };
  if (!chat.hasAccount) return { code: "403", text: "forbidden" };
  return { content: [groupNode(chat, world)] };
}

function groupNode(chat: Chat, { owner }: PersonalWorld): BinaryNode {
  const members = [owner, ...chat.members].map((person) =>
    node("participant", { jid: lidJid(person), phone_number: numberJid(person) }),
  );
  const forAdmins = chat.isForAdmins ? [node("announcement")] : [];
  const attrs = { id: chat.id.replace("@g.us", ""), subject: chat.name, creation: "1700000000", s_t: "1700000000" };
  return node("group", { ...attrs, addressing_mode: "lid" }, [...forAdmins, ...members]);
}

function mediaNode({ host, largest }: IqContext["media"]): BinaryNode {
  return node("media_conn", { auth: "emulated-auth", ttl: "300" }, [
    node("host", { hostname: host, maxContentLengthBytes: String(largest) }),
  ]);
}
