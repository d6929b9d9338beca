import type { SharedItem } from "@hermes/core";
import { type Content, objectOf, stringOf } from "./wire.ts";

/** Polls, which clients send under a preliminary name (MSC 3381). */
const POLL_TYPES = ["m.poll.start", "org.matrix.msc3381.poll.start"];

/** Events that a person writes, beside `m.room.message`. */
export const OTHER_WORDS: ReadonlySet<string> = new Set(["m.sticker", ...POLL_TYPES]);

/** Polls and places. */
export function itemsOf(type: string, content: Content): SharedItem[] {
  if (POLL_TYPES.includes(type)) return [pollIn(content)];
  if (content.msgtype !== "m.location") return [];
  const [, latitude = Number.NaN, longitude = Number.NaN] =
    /^geo:(-?[\d.]+),(-?[\d.]+)/.exec(stringOf(content.geo_uri) ?? "")?.map(Number) ?? [];
  if (Number.isNaN(latitude) || Number.isNaN(longitude)) return [];
  return [{ kind: "place", name: stringOf(content.body), latitude, longitude }];
}

function pollIn(content: Content): SharedItem {
  const [poll = {}] = ["m.poll", "org.matrix.msc3381.poll.start"].flatMap((name) =>
    content[name] === undefined ? [] : [objectOf(content[name])],
  );
  const answers = Array.isArray(poll.answers) ? poll.answers : [];
  return {
    kind: "poll",
    question: wordsIn(objectOf(poll.question)),
    options: answers.map((one) => wordsIn(objectOf(one))),
  };
}

/** "m.text" as a list of forms, or a plain text under a preliminary name (MSC 1767). */
function wordsIn(content: Content): string {
  const [first] = Array.isArray(content["m.text"]) ? content["m.text"] : [];
  return stringOf(objectOf(first).body) ?? stringOf(content["org.matrix.msc1767.text"]) ?? stringOf(content.body) ?? "";
}
