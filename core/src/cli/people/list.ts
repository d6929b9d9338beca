import { count } from "../../base/text.ts";
import { sayAgo } from "../../command/words.ts";
import { accountOfHome } from "../../model/home-notice.ts";
import type { Identity } from "../../model/identity.ts";
import { OPERATOR } from "../../model/session.ts";
import { type KnownIdentityDocument, type KnownPersonDocument, peopleDocument } from "../../overview/people.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { findEntry } from "./find-entry.ts";

/** `hermes people` */
export async function listPeople({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(
    async ({ store, config, clock }) => {
      const document = await peopleDocument(store, config);
      output.document(document);
      if (output.json) return;
      for (const person of document.people) printPerson(output, person, clock.now());
      for (const note of document.notes) output.note(note);
    },
    { needsConfig: false },
  );
}

/** `hermes people show` */
export async function showPerson({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(
    async (host) => {
      const person = await findEntry(host, reference);
      output.document(person);
      if (!output.json) printPerson(output, person, host.clock.now(), { withIds: true });
    },
    { needsConfig: false },
  );
}

const PARTED =
  "An earlier version took these for one person, since they shared an id. They are parted; each is known by its own ids, " +
  "and a number of theirs in the config grants nothing. Name the id that stays in the config instead.";

function printPerson(output: Output, person: KnownPersonDocument, now: number, { withIds = false } = {}): void {
  const { bold, dim, yellow } = output.colors;
  const { id, name, role, identities, rights, sessions, lastSeenAt } = person;
  output.line(
    styled`${bold(name)}${role === null ? "" : `  ${role}`}${id === null ? "" : styled`  ${dim(id === OPERATOR ? "you, at the terminal" : id)}`}`,
  );
  for (const identity of identities) {
    output.line(`     ${describeIdentity(identity, now)}`);
    if (withIds) for (const one of identity.ids) output.line(dim(`       ${describeId(one)}`));
    if (identity.ids.some(({ endedBy }) => endedBy === "parted")) output.line(styled`     ${yellow(PARTED)}`);
  }
  for (const { grants, on, words, takenBackBy } of rights) {
    output.line(`     ${grants} ${on === null ? "everywhere" : `on ${on}`}: ${words}`);
    output.line(dim(`       ${takenBackBy}`));
  }
  if (rights.length === 0) output.line("     may do nothing");
  const seen = lastSeenAt === null ? [] : [`last seen ${sayAgo(now, lastSeenAt)}`];
  if (sessions > 0 || seen.length > 0) output.line(dim(`     ${[count(sessions, "session"), ...seen].join(" · ")}`));
}

function describeIdentity({ platform, account, key, name, word, since }: KnownIdentityDocument, now: number): string {
  const at = accountOfHome({ platform, account: account ?? undefined });
  const called = name === null ? "" : ` “${name}”`;
  if (word === null) return `${at} ${key}${called}`;
  return `${at} ${key}${called}, ${LINKED[word]}${since === null ? "" : `, ${sayAgo(now, since)}`}`;
}

const LINKED = {
  code: "linked by a code",
  terminal: "linked in the terminal",
  pairing: "let in by a pairing",
  home: "at home there",
};

function describeId({ id, strength, word, since, until, endedBy }: KnownIdentityDocument["ids"][number]): string {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const kind = strength === "strong" ? "stays theirs" : "may pass to somebody else";
  if (until === null) return `${id}  (${kind}; since ${day(since)}, by ${WORDS[word as Identity["word"]]})`;
  return `${id}  (no longer theirs since ${day(until)}, by ${WORDS[(endedBy ?? "message") as Identity["word"]]})`;
}

const WORDS: Readonly<Record<Identity["word"], string>> = {
  message: "a message",
  system: "a system message of the platform",
  config: "the config",
  kept: "an earlier version's file",
  parted: "an update, which parted them",
  terminal: "the terminal",
};
