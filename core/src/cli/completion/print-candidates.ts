import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { withNumbers } from "../../base/hidden-text.ts";
import { clip } from "../../command/words.ts";
import { typedPlaces } from "../../handoff/resolve-place.ts";
import { hermesHome, isHomeSafe } from "../../host/home.ts";
import { openStore, storeFileOf } from "../../host/open-store.ts";
import { askedText } from "../../model/approval-text.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import type { Store } from "../../store/store.ts";
import type { CliContext } from "../context.ts";
import { type Candidate, type LookUp, wantedAt } from "./candidates.ts";
import type { Shell } from "./commands.ts";

/** How many sessions are offered, those used last. */
const SESSIONS = 50;

/**
 * `hermes complete -- <words>`: what may stand in the place of the last word, a line each, with a tab before what it
 * is.
 */
export async function printCandidates(
  { io }: CliContext,
  words: readonly string[],
  { shell }: { readonly shell: Shell },
  complete: Command,
): Promise<undefined> {
  const { parent: program } = complete;
  if (program === null) return;
  // Only bash passes words as they were typed.
  const typed = shell === "bash" ? words.map(unquoted) : words;
  const current = typed.at(-1) ?? "";
  const isQuoted = shell === "bash" && /^["']/.test(words.at(-1) ?? "");
  const { candidates, lookUp } = wantedAt(program, typed);
  const found = lookUp === null ? [] : await lookUpQuietly(lookUp, io.environment);
  const fitting = [...candidates, ...found]
    .filter(({ value }) => value.startsWith(current))
    // Within quotes bash inserts what it gets, and a shell that runs the line would run a part of that.
    .filter(({ value }) => !isQuoted || /^[\p{L}\p{N} .,:_-]+$/u.test(value));
  for (const { value, description } of fitting) {
    io.stdout.write(description === "" ? `${value}\n` : `${value}\t${description.split("\n")[0]}\n`);
  }
}

/** A line that is being typed is no place for an error. */
async function lookUpQuietly(what: LookUp, environment: NodeJS.ProcessEnv): Promise<Candidate[]> {
  try {
    const home = hermesHome(environment);
    if (!isHomeSafe(home)) return [];
    if (what === "platform") return platformsOf(home);
    if (what === "place") return [...platformsOf(home), ...(await inStore(home, placesOf))].filter(isFirst);
    return await inStore(home, { session: sessionsOf, code: codesOf, person: peopleIn }[what]);
  } catch {
    return [];
  }
}

async function inStore(home: string, look: (store: Store) => Promise<Candidate[]>): Promise<Candidate[]> {
  if (!existsSync(storeFileOf(home))) return [];
  const store = await openStore(home);
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

async function sessionsOf(store: Store): Promise<Candidate[]> {
  const { sessions } = await store.sessions.list({ visible: EVERY_SESSION, limit: SESSIONS });
  const candidates = sessions.flatMap(({ id, title }) => {
    if (title === null) return [];
    // A name with hidden characters is replaced by the id: what is inserted is what is seen.
    const isPlain = withNumbers(title) === title && !/[\t\n]/.test(title) && !title.startsWith("-");
    return [isPlain ? { value: title, description: "" } : { value: id, description: "a session" }];
  });
  return candidates.filter(isFirst);
}

/** The codes of the questions that wait for an answer. */
async function codesOf(store: Store): Promise<Candidate[]> {
  const open = await store.approvals.open();
  return open.map((approval) => ({ value: approval.code, description: clip(withNumbers(askedText(approval)), 60) }));
}

/** People by name; none of a name that holds hidden characters. */
async function peopleIn(store: Store): Promise<Candidate[]> {
  const people = await store.people.list();
  return people.flatMap(({ name, role }) => (withNumbers(name) === name ? [{ value: name, description: role }] : []));
}

/** What can be typed for a place; nothing that holds hidden characters. */
async function placesOf(store: Store): Promise<Candidate[]> {
  const typed = [...(await typedPlaces(store)), "terminal"];
  return typed
    .filter((value) => withNumbers(value) === value && !/[\t\n]/.test(value))
    .map((value) => ({ value, description: "" }));
}

function isFirst({ value }: Candidate, at: number, all: readonly Candidate[]): boolean {
  return all.findIndex((other) => other.value === value) === at;
}

/** Those that were served here once: each has a folder. */
function platformsOf(home: string): Candidate[] {
  const folder = join(home, "plugins");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const platforms = names.map((name) => name.replace(/@.*/, "")).filter((name) => /^[a-z][\w-]*$/.test(name));
  return [...new Set(platforms)].map((value) => ({ value, description: "" }));
}

/** A word as a shell reads it that it was typed into, maybe with a quote that is still open. */
function unquoted(word: string): string {
  return word.replaceAll(/\\(.)|'([^']*)'?|"((?:[^"\\]|\\.)*)"?/g, (_, escaped, single, double) => {
    return escaped ?? single ?? String(double).replaceAll(/\\(.)/g, "$1");
  });
}
