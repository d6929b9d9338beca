import { type OutboundFile, safeFileName } from "@hermes/core";
import { type Client, GuildPremiumTier, type RawFile } from "discord.js";
import type { Channel } from "./source.ts";

const MIB = 1024 ** 2;

/** The largest file that a bot may send, in bytes ("Uploading Files"). */
const LARGEST = 20 * MIB;

/** Servers with these boost levels take larger ones. */
const LARGEST_BOOSTED: Readonly<Partial<Record<GuildPremiumTier, number>>> = {
  [GuildPremiumTier.Tier2]: 50 * MIB,
  [GuildPremiumTier.Tier3]: 100 * MIB,
};

/** What the bot may send in a channel, in bytes, as far as the connection has told. */
export function largestIn(client: Client, { guildId }: Pick<Channel, "guildId">): number {
  const level = guildId === null ? undefined : client.guilds.cache.get(guildId)?.premiumTier;
  return (level !== undefined && LARGEST_BOOSTED[level]) || LARGEST;
}

/** What the bot may send where it may send most. Before it is connected that is what it may send everywhere. */
export function uploadLimit(client: () => Client | undefined): { readonly largest: number } {
  return {
    get largest() {
      const connected = client();
      if (connected === undefined) return LARGEST;
      return Math.max(LARGEST, ...connected.guilds.cache.map(({ id: guildId }) => largestIn(connected, { guildId })));
    },
  };
}

/** The names of a file: the one that Discord keeps, and what apps show instead, without the ending. */
export function namesOf(name: string): { readonly filename: string; readonly title?: string } {
  const safe = safeFileName(name);
  const ending = /(?<=.)\.[^.]+$/.exec(safe)?.[0] ?? "";
  const stem = safe.slice(0, safe.length - ending.length);
  const filename = `${cleansed(stem) || "file"}${cleansed(ending) === "" ? "" : `.${cleansed(ending)}`}`;
  return filename === safe ? { filename } : { filename, title: stem };
}

/** Discord keeps ASCII letters, digits, underscores, dashes and dots, and no dots and underscores at the ends. */
function cleansed(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\w.-]+/g, "_")
    .replaceAll(/^[._]+|[._]+$/g, "");
}

/** A file and what the API wants to know of it ("Attachment Request Structure"). */
export function uploadOf(
  file: OutboundFile,
  content: Uint8Array,
): { readonly attachments: readonly object[]; readonly files: RawFile[] } {
  const names = namesOf(file.name);
  return {
    attachments: [{ id: 0, ...names }],
    files: [{ name: names.filename, data: Buffer.from(content), contentType: file.mediaType }],
  };
}
