import type { Identity } from "../../model/identity.ts";
import type { CliContext } from "../context.ts";

/** `hermes identities` */
export async function listIdentities({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(async ({ store }) => {
    const identities = await store.identities.list();
    output.document({ identities: identities.map(({ account, ...one }) => ({ ...one, account: account ?? null })) });
    if (identities.length === 0) output.line("Nobody is known by several ids.");
    for (const [person, ids] of Map.groupBy(identities, placeOf)) {
      output.line(person);
      for (const identity of ids) output.line(`  ${describe(identity)}`);
      if (ids.some(({ endedBy }) => endedBy === "parted")) output.line(`  ${output.colors.yellow(PARTED)}`);
    }
  });
}

const PARTED =
  "An earlier version took these for one person, since they shared an id. They are parted; each is known by its own ids, " +
  "and a number of theirs in the config grants nothing. Name the id that stays in the config instead.";

function placeOf({ platform, account, person }: Identity): string {
  return `${account === undefined ? platform : `${platform}:${account}`} ${person}`;
}

function describe({ id, strength, word, since, until, endedBy }: Identity): string {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const kind = strength === "strong" ? "stays theirs" : "may pass to somebody else";
  if (until === null) return `${id}  (${kind}; since ${day(since)}, by ${WORDS[word]})`;
  return `${id}  (no longer theirs since ${day(until)}, by ${WORDS[endedBy ?? "message"]})`;
}

const WORDS: Readonly<Record<Identity["word"], string>> = {
  message: "a message",
  system: "a system message of the platform",
  config: "the config",
  kept: "an earlier version's file",
  parted: "an update, which parted them",
  terminal: "the terminal",
};
