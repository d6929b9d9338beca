import { z } from "@hermes/core";
import type { CallOptions, DaemonClient } from "./daemon-client.ts";
import { groupUnknown } from "./errors.ts";
import { canonicalId, isUuid } from "./source.ts";

const profile = z.object({ givenName: z.string().nullish(), familyName: z.string().nullish() });

const contactsAnswer = z
  .array(
    z.object({
      number: z.string().nullish(),
      uuid: z.string().nullish(),
      name: z.string().nullish().catch(null),
      profile: profile.nullish().catch(null),
      unregistered: z.boolean().nullish(),
      isBlocked: z.boolean().nullish(),
    }),
  )
  .catch([]);

const statusAnswer = z.array(z.object({ uuid: z.string().nullish(), isRegistered: z.boolean().nullish() })).catch([]);

const person = z.union([z.string(), z.object({ number: z.string().nullish(), uuid: z.string().nullish() })]);

const groupsAnswer = z
  .array(
    z.object({
      id: z.string(),
      name: z.string().nullish(),
      isMember: z.boolean().nullish(),
      isBlocked: z.boolean().nullish(),
      members: z.array(person).nullish(),
      admins: z.array(person).nullish(),
      permissionSendMessage: z.string().nullish(),
    }),
  )
  .catch([]);

export interface KnownPerson {
  readonly uuid: string;
  readonly number: string | null;
  /** What the account's contacts call the person, else what they call themselves. */
  readonly name: string | null;
  readonly isUnregistered: boolean;
  readonly isBlocked: boolean;
}

export interface KnownGroup {
  readonly name: string;
  readonly isMember: boolean;
  readonly isBlocked: boolean;
  /** Only admins may write. */
  readonly isAnnouncement: boolean;
  /** Each by all of their ids, in canonical form; the account itself, too. */
  readonly members: readonly (readonly string[])[];
  /** Canonical ids. */
  readonly admins: readonly string[];
}

/** Whom and what the account knows. */
export class Directory {
  readonly #client: DaemonClient;

  constructor(client: DaemonClient) {
    this.#client = client;
  }

  /** Somebody the account has met, by number or UUID; null for others. Asks nobody but the daemon. */
  async person(id: string, options: CallOptions = {}): Promise<KnownPerson | null> {
    const answer = await this.#client.call("listContacts", { recipient: [id], allRecipients: true }, options);
    for (const { number, uuid, name, profile, unregistered, isBlocked } of contactsAnswer.parse(answer)) {
      if (!uuid || ![number, uuid].some((one) => one && canonicalId(one) === id)) continue;
      return {
        uuid: canonicalId(uuid),
        number: number ? canonicalId(number) : null,
        name: nameIn([name, [profile?.givenName, profile?.familyName].filter(Boolean).join(" ")], [number, uuid]),
        isUnregistered: unregistered === true,
        isBlocked: isBlocked === true,
      };
    }
    return null;
  }

  /** The service id that belongs to a number; null where Signal tells none. */
  async uuidOf(number: string, options: CallOptions = {}): Promise<string | null> {
    const known = await this.person(number, options);
    if (known !== null) return known.uuid;
    const answer = statusAnswer.parse(await this.#client.call("getUserStatus", { recipient: [number] }, options));
    const uuid = canonicalId(answer.find(({ isRegistered }) => isRegistered)?.uuid ?? "");
    return isUuid(uuid) ? uuid : null;
  }

  /** Whether Signal knows a number. */
  async isRegistered(number: string, options: CallOptions = {}): Promise<boolean> {
    const [status] = statusAnswer.parse(await this.#client.call("getUserStatus", { recipient: [number] }, options));
    return status?.isRegistered === true;
  }

  /** A group of the account. Throws PLATFORM_NOT_FOUND. */
  async group(id: string, options: CallOptions = {}): Promise<KnownGroup> {
    const groups = groupsAnswer.parse(await this.#client.call("listGroups", { groupId: [id] }, options));
    const group = groups.find((one) => canonicalId(one.id) === id);
    if (group === undefined) throw groupUnknown();
    return {
      name: group.name || "the group",
      isMember: group.isMember !== false,
      isBlocked: group.isBlocked === true,
      isAnnouncement: group.permissionSendMessage === "ONLY_ADMINS",
      members: (group.members ?? []).map(idsOf),
      admins: (group.admins ?? []).flatMap(idsOf),
    };
  }
}

/** The first real name: without one, signal-cli may put an id in its place. */
function nameIn(
  names: readonly (string | null | undefined)[],
  ids: readonly (string | null | undefined)[],
): string | null {
  return names.find((name) => name?.trim() && !ids.includes(name)) ?? null;
}

function idsOf(one: z.output<typeof person>): string[] {
  const ids = typeof one === "string" ? [one] : [one.uuid, one.number];
  return ids.flatMap((id) => (id ? [canonicalId(id)] : []));
}
