import type { HomeChannel } from "@hermes/core";
import { type APIChannel, ChannelFlags } from "discord.js";
import { rejected } from "./errors.ts";

interface Tag {
  readonly id: string;
  readonly name: string;
}

/**
 * The tag that posts in a forum get, by the home channel's `tag`; null where none is named and none is needed. Throws
 * PLATFORM_REJECTED with the tags that there are.
 */
export function forumTag(forum: APIChannel, { tag }: HomeChannel): string | null {
  const tags: readonly Tag[] = "available_tags" in forum ? forum.available_tags : [];
  const there = tags.length > 0 ? `It has ${tags.map(({ name }) => `“${name}”`).join(", ")}.` : "It has no tags yet.";
  if (typeof tag === "string" && tag !== "") {
    const found = tags.find(({ id, name }) => id === tag || name.toLowerCase() === tag.toLowerCase());
    if (found) return found.id;
    throw rejected(`#${forum.name} has no tag “${tag}”`, `Name another with \`tag\` on \`homeChannel\`. ${there}`);
  }
  const needsTag = "flags" in forum && ((forum.flags ?? 0) & ChannelFlags.RequireTag) !== 0;
  if (!needsTag) return null;
  throw rejected(`every post in #${forum.name} needs a tag`, `Name one with \`tag\` on \`homeChannel\`. ${there}`);
}
