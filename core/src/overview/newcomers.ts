import { HermesError } from "../base/errors.ts";
import { shortName } from "../base/one-line.ts";
import { letIn, turnAway } from "../command/let-in.ts";
import { type Linked, linesAboutLink, linkByCode, newLinkCode } from "../command/link-identity.ts";
import { type Code, type CodeSender, readCode, shownCode } from "../model/code.ts";
import type { Person } from "../model/person.ts";
import { OPERATOR, type UserId } from "../model/session.ts";
import type { Store } from "../store/store.ts";

/** A newcomer who waits to be let in. */
export interface Waiting {
  readonly request: Code;
  readonly who: CodeSender;
}

/**
 * Who waits for a word of the operator: newcomers, and accounts that sent a link code (`claims`), each with what is to be
 * known of it. `hermes people requests --json`. The codes themselves are kept nowhere.
 */
export async function requestsDocument(store: Store) {
  const claims = (await store.codes.list("link")).filter(({ state }) => state === "taken");
  return {
    requests: (await store.codes.list("pairing")).map(requestDocument),
    claims: await Promise.all(claims.map((claim) => claimDocument(store, claim))),
  };
}

/** By its number, or by the code that the newcomer has told the operator. Throws REQUEST_UNKNOWN. */
export async function findRequest({ codes }: Store, reference: string): Promise<Waiting> {
  const code = readCode(reference);
  const isNumber = /^\d{1,9}$/.test(reference);
  const request = code !== null ? await codes.find(code) : isNumber ? await codes.get(Number(reference)) : null;
  const who = request?.kind === "pairing" && request.state === "open" ? request.who : null;
  if (request === null || who === null) throw new HermesError("REQUEST_UNKNOWN", { reference });
  return { request, who };
}

/** Makes a person of a newcomer, and tells them: `hermes people approve --json`. Throws REQUEST_UNKNOWN. */
export async function approveRequest(store: Store, { request, who }: Waiting, name?: string) {
  const person = await letIn(store, { ...request, who }, name);
  if (person === null) throw new HermesError("REQUEST_UNKNOWN", { reference: String(request.number) });
  return { ...requestDocument({ ...request, state: "done" }), person: { id: person.id, name: person.name } };
}

/** Does not let a newcomer in, who is told nothing: `hermes people deny --json`. Throws REQUEST_UNKNOWN. */
export async function denyRequest(store: Store, { request, who }: Waiting) {
  const isDenied = await turnAway(store, { ...request, who });
  if (!isDenied) throw new HermesError("REQUEST_UNKNOWN", { reference: String(request.number) });
  return requestDocument({ ...request, state: "refused" });
}

/** Makes a code that links an account to a person: `hermes link --person … --json`. Throws PERSON_UNKNOWN. */
export async function makeLinkCode(store: Store, id: UserId, issuer: UserId) {
  const person = await store.people.get(id);
  if (person === null) throw new HermesError("PERSON_UNKNOWN", { reference: id });
  const { code, made } = await newLinkCode(store, person, issuer);
  return { code: shownCode(code), ...linkDocument(made, person, "open") };
}

/**
 * Says whether whoever sent a link code is the person: `hermes link --code … --json`. Throws CODE_INVALID,
 * IDENTITY_TAKEN.
 */
export async function settleClaim(store: Store, number: number, isThem: boolean) {
  const code = await store.codes.get(number);
  if (code?.state !== "taken") throw new HermesError("CODE_INVALID", {});
  const person = await personOf(store, code);
  const result = await linkByCode({ store, person, ask: async () => isThem }, code);
  return linkDocument(code, person, result);
}

/** A link code in a JSON document, with who sent it. */
export function linkDocument(code: Code, { id, name }: Person, state: Linked) {
  const { number, who, expiresAt } = code;
  return { number, state, person: { id, name }, account: who && accountDocument(who), expiresAt };
}

async function claimDocument(store: Store, claim: Code) {
  const person = await personOf(store, claim);
  const about = claim.who === null ? [] : await linesAboutLink(store, claim.who, person);
  return { ...linkDocument(claim, person, "unanswered"), about };
}

/** Whom a link code is for: the operator where it names nobody. */
async function personOf({ people }: Store, { person }: Code): Promise<Person> {
  const found = (person && (await people.get(person))) || (await people.get(OPERATOR));
  if (found === null) throw new HermesError("PERSON_UNKNOWN", { reference: person ?? OPERATOR });
  return found;
}

function requestDocument({ number, state, who, createdAt, expiresAt }: Code) {
  return { number, state, ...(who && accountDocument(who)), createdAt, expiresAt };
}

function accountDocument({ platform, account, id, name }: CodeSender) {
  return { platform, account: account ?? null, id, name: shortName(name ?? "") || null };
}
