import { HermesError } from "../base/errors.ts";
import { CODE_LASTS_MS, type Code, type CodeSender, newCode } from "../model/code.ts";
import { accountName } from "../model/identity.ts";
import { mayDo } from "../model/may-do.ts";
import type { Person } from "../model/person.ts";
import { OPERATOR, type UserId } from "../model/session.ts";
import { authorOf } from "../model/turn.ts";
import type { Newcomer } from "../store/code-store.ts";
import type { Store } from "../store/store.ts";

/** Whom a link is for, and how somebody is asked about it: default no. Null where nobody answered. */
export interface Linking {
  readonly store: Store;
  readonly person: Person;
  ask(lines: readonly string[], question: string): Promise<boolean | null>;
}

/** What came of a code: `open`: nobody has sent it yet; `unanswered`: the claim waits. */
export type Linked = "linked" | "refused" | "unanswered" | "open";

/** Makes a code that is to be sent from the account that is linked. Returns it as it is typed. */
export async function newLinkCode(
  store: Store,
  person: Person,
  issuer: UserId = OPERATOR,
): Promise<{ readonly code: string; readonly made: Code }> {
  const code = newCode();
  const made = await store.codes.create({
    ...{ code, kind: "link", issuer, person: person.id, sessionId: null, who: null },
    ttlMs: CODE_LASTS_MS.link,
  });
  return { code, made };
}

/**
 * Links whoever sent a code, or asked for one in a chat, once the person at the terminal says yes. Throws CODE_INVALID,
 * IDENTITY_TAKEN.
 */
export async function linkByCode(linking: Linking, code: Code): Promise<Linked> {
  const { store, person } = linking;
  const { number, who, state } = code;
  if (code.kind !== "link" || (state !== "open" && state !== "taken")) throw new HermesError("CODE_INVALID", {});
  if (who === null) return "open";
  const owner = await store.people.of(who, who.key);
  if (owner !== null && owner.id !== person.id) {
    throw new HermesError("IDENTITY_TAKEN", { id: who.id, platform: accountName(who), name: owner.name });
  }
  const answer = await linking.ask(await linesAbout(store, who, person), questionAbout(person));
  if (answer === null) return "unanswered";
  // The first answer counts, in whichever terminal.
  if (state === "open" && !(await store.codes.take(number))) throw new HermesError("CODE_INVALID", {});
  const isSettled = answer ? await linkTo(store, number, who, person) : await store.codes.settle(number, "refused");
  if (!isSettled) throw new HermesError("CODE_INVALID", {});
  return answer ? "linked" : "refused";
}

/**
 * Settles a code: the identity becomes the person's, with the right that the config gives it, and its chat is told, in one
 * step, in which a newcomer is made a person. False where somebody else decided before, or the time is over.
 */
export async function linkTo(
  store: Store,
  number: number,
  who: CodeSender,
  person: Person | Newcomer,
): Promise<boolean> {
  const isOperator = (await configRight(store, who)) === "operator";
  const { conversation, surface: key } = who;
  const markdown = (await store.codes.get(number))?.kind === "pairing" ? WELCOME : LINKED;
  const told = [{ key, conversation, message: { kind: "notice", markdown } }] as const;
  const isKnown = "id" in person;
  if (!(await store.codes.settle(number, "done", told, isKnown ? person.id : person))) return false;
  if (isKnown && isOperator && person.role !== "operator") await store.people.setRole(person.id, "operator");
  return true;
}

const LINKED = "Linked: Hermes knows from now on whose account this is, and your sessions are here too.";
const WELCOME = "The operator has let you in: write a message to talk to the agent.";

/** What is to be known before an account becomes somebody's. Names on a platform are chosen by whoever has them. */
async function linesAbout(store: Store, who: CodeSender, person: Person): Promise<readonly string[]> {
  const account = [`Platform: ${accountName(who)}`, `Name:     ${who.name ?? "(none)"}`, `Id:       ${who.id}`];
  return [...account, ...(await linesAboutLink(store, who, person))];
}

/** What a link gives somebody, in sentences; none where it gives nothing that has to be known. */
export async function linesAboutLink(store: Store, who: CodeSender, person: Person): Promise<readonly string[]> {
  const right = await configRight(store, who);
  if (person.role === "operator")
    return ["As an operator, they see every session there and their words may use tools."];
  const { name } = person;
  if (right === "operator") {
    return [`The config names this account as an operator: from then on ${name} is one on every platform.`];
  }
  if (right !== "member") return [];
  return [`The config allows this account to talk to the agent: from then on ${name} may on every platform.`];
}

function questionAbout({ id, name }: Person): string {
  return id === OPERATOR ? "Is this you?" : `Is this ${name}?`;
}

/** What the config grants the account, as the gateway that serves it says. */
async function configRight({ grants }: Store, who: CodeSender): Promise<"operator" | "member" | null> {
  const granted = await grants.current(who);
  if (granted === null) return null;
  const own = { ...granted, people: { operators: [], members: [], guests: [] } };
  const { id, key, conversation } = who;
  const author = { ...authorOf({ conversation, sender: { id, aliases: [key] } }), person: key };
  if (mayDo(author, "operators-command", own).ok) return "operator";
  return mayDo(author, "command", own).ok ? "member" : null;
}
