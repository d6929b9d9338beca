import { count } from "../../base/text.ts";
import { sayAgo } from "../../command/words.ts";
import { accountName, type Identity } from "../../model/identity.ts";
import { OPERATOR } from "../../model/session.ts";
import { type KnownIdentityDocument, type KnownPersonDocument, peopleDocument } from "../../overview/people.ts";
import type { Output } from "../../terminal/output.ts";
import { printTable } from "../../terminal/print-table.ts";
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
      const rows = document.people.flatMap((person) => rowsOf(person, clock.now()));
      printTable(output, ["Name", "Is", "Where", "By", "Seen"], rows);
      if (document.people.some(({ identities }) => identities.some(isParted))) output.note(PARTED);
      for (const note of document.notes) output.note(note);
      output.note("`hermes people show <name>` shows somebody's accounts, and how each right is taken back.");
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
      if (!output.json) printPerson(output, person, host.clock.now());
    },
    { needsConfig: false },
  );
}

const PARTED =
  "An earlier version treated these as one person because they shared an id. They are separate now, each with their own ids, " +
  "and a number of theirs in the config grants nothing. Name the id that stays in the config instead.";

/** A row for each right: who has it, where, and by what. */
function rowsOf(person: KnownPersonDocument, now: number): string[][] {
  const { identities, rights, lastSeenAt } = person;
  const name = nameForPeople(person);
  const seen = lastSeenAt === null ? "" : sayAgo(now, lastSeenAt);
  if (rights.length === 0) return [[name, "nobody", identities.map(accountName).join(", "), "", seen]];
  return rights.map(({ grants, on, words }) => [name, grants, on ?? "everywhere", words, seen]);
}

/** The person at the terminal is called so until they have given themselves a name. */
function nameForPeople({ id, name }: KnownPersonDocument): string {
  if (id !== OPERATOR) return name;
  return name === OPERATOR ? "you" : `${name} (you)`;
}

function isParted({ ids }: KnownIdentityDocument): boolean {
  return ids.some(({ endedBy }) => endedBy === "parted");
}

function printPerson(output: Output, person: KnownPersonDocument, now: number): void {
  const { bold, dim, yellow } = output.colors;
  const { id, role, identities, rights, sessions, lastSeenAt } = person;
  const facts = [role ?? [], id === OPERATOR ? "at the terminal" : (id ?? [])].flat().join(", ");
  output.line(styled`${bold(nameForPeople(person))}${facts === "" ? "" : dim(`  ${facts}`)}`);
  for (const identity of identities) {
    output.line(`     ${describeIdentity(identity, now)}`);
    for (const one of identity.ids) output.line(dim(`       ${describeId(one)}`));
    if (isParted(identity)) output.line(styled`     ${yellow(PARTED)}`);
  }
  for (const { grants, on, words, takenBackBy } of rights) {
    output.line(`     ${grants} ${on === null ? "everywhere" : `on ${on}`}: ${words}`);
    output.line(dim(`       ${output.asCalled(takenBackBy)}`));
  }
  if (rights.length === 0) output.line("     may do nothing");
  const seen = lastSeenAt === null ? [] : [`last seen ${sayAgo(now, lastSeenAt)}`];
  if (sessions > 0 || seen.length > 0) output.line(dim(`     ${[count(sessions, "session"), ...seen].join(" · ")}`));
}

function describeIdentity(identity: KnownIdentityDocument, now: number): string {
  const { key, name, word, since } = identity;
  const at = accountName(identity);
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
  const kind = strength === "strong" ? "permanent" : "may be reassigned";
  if (until === null) return `${id}  (${kind}; since ${day(since)}, by ${WORDS[word as Identity["word"]]})`;
  return `${id}  (no longer theirs since ${day(until)}, by ${WORDS[(endedBy ?? "message") as Identity["word"]]})`;
}

const WORDS: Readonly<Record<Identity["word"], string>> = {
  message: "a message",
  system: "a system message of the platform",
  config: "the config",
  kept: "an earlier version's file",
  parted: "an update, which separated them",
  terminal: "the terminal",
};
