import type { Params } from "./params.ts";
import { invalidParams, userError } from "./refusal.ts";
import { send, sendTyping } from "./sending.ts";
import { type Person, SELF, type World } from "./world.ts";

type Method = (world: World, params: Params) => unknown;

/** The methods that Hermes may use (signal-cli(1)). */
export const METHODS: Readonly<Record<string, Method>> = {
  send: (world, params) => send(world, params, null),
  sendTyping,
  listContacts,
  listGroups,
  getUserStatus,
  getAttachment,
  trust,
};

/** What the general names of a script's operations stand for. */
export function operationsOf(method: string, params: Params): string[] {
  switch (method) {
    case "send":
      return [params.number("editTimestamp") === undefined ? "send" : "edit"];
    case "sendTyping":
      return [params.flag("stop") ? "sendTyping" : "typing", "sendTyping"];
    case "listContacts":
    case "listGroups":
    case "getUserStatus":
      return ["home", method];
    default:
      return [method];
  }
}

function listContacts(world: World, params: Params): unknown {
  const wanted = params.list("recipient");
  return [SELF, ...world.people]
    .filter(({ isKnown }) => isKnown)
    .filter(({ uuid, number }) => wanted.length === 0 || wanted.includes(uuid) || wanted.includes(number ?? ""))
    .map(({ uuid, number, name, isBlocked, isRegistered }) => ({
      ...{ number, uuid, username: null, name, isBlocked, unregistered: !isRegistered },
    }));
}

function listGroups(world: World, params: Params): unknown {
  const wanted = params.list("groupId").map((id) => Buffer.from(id, "base64").toString("base64"));
  return world.groups
    .filter(({ id }) => wanted.length === 0 || wanted.includes(id))
    .map(({ id, name, members, isMember, isBlocked, onlyAdminsSend }) => ({
      ...{ id, name, description: "", isMember, isBlocked, messageExpirationTime: 0 },
      members: [...members, ...(isMember ? [SELF] : [])].map(addressOf),
      admins: members.slice(0, 1).map(addressOf),
      permissionSendMessage: onlyAdminsSend ? "ONLY_ADMINS" : "EVERY_MEMBER",
    }));
}

function getUserStatus(world: World, params: Params): unknown {
  return params.list("recipient").map((recipient) => {
    if (!recipient.startsWith("+")) throw userError(`Invalid phone number '${recipient}'`);
    const person = world.person(recipient);
    const isRegistered = person?.isRegistered === true;
    return { recipient, number: recipient, uuid: isRegistered ? person.uuid : null, isRegistered };
  });
}

function getAttachment(world: World, params: Params): unknown {
  const id = params.string("id") ?? "";
  const origins = [params.string("recipient"), params.string("groupId")].filter((origin) => origin !== undefined);
  if (origins.length !== 1) throw invalidParams("one of the arguments --recipient -g/--group-id is required");
  const content = world.attachments.get(id);
  if (content === undefined || world.ignoresAttachments) {
    throw userError(`Could not find attachment with ID: ${id}`);
  }
  return { data: content.toString("base64") };
}

function trust(world: World, params: Params): unknown {
  const person = world.person(params.string("recipient") ?? "");
  if (person === undefined)
    throw userError("Failed to set the trust for this number, make sure the number is correct.");
  if (!params.flag("trustAllKnownKeys") && params.string("verifiedSafetyNumber") === undefined) {
    throw invalidParams("You need to specify the fingerprint/safety number you have verified with -v SAFETY_NUMBER");
  }
  world.trust(person);
  return {};
}

function addressOf({ uuid, number }: Person) {
  return { uuid, number };
}
