import { type HomeChannel, platformErrors } from "@hermes/core";
import type { APIChannel } from "discord.js";
import { PLATFORM } from "./source.ts";

const { rejected } = platformErrors(PLATFORM);

/** A flag of a forum ("Channel Flags"): every post needs a tag. */
const REQUIRE_TAG = 1 << 4;

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
  const needsTag = "flags" in forum && ((forum.flags ?? 0) & REQUIRE_TAG) !== 0;
  if (!needsTag) return null;
  throw rejected(`every post in #${forum.name} needs a tag`, `Name one with \`tag\` on \`homeChannel\`. ${there}`);
}
