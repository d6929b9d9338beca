import { shortName } from "../base/one-line.ts";
import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import { type AskId, type AskPlace, askChoiceId, type NewAsk, newAskId } from "../model/ask.ts";
import { CODE_LASTS_MS, type Code, type CodeSender } from "../model/code.ts";
import { accountName } from "../model/identity.ts";
import type { Person } from "../model/person.ts";
import { OPERATOR } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { linkTo } from "./link-identity.ts";

/** A newcomer who asked to be let in. */
export type Request = Code & { readonly who: CodeSender };

/**
 * Makes a person of a newcomer, who may talk to the agent, and tells them. Null where somebody else decided before, or
 * the time is over.
 */
export async function letIn(store: Store, { number, who }: Request, name?: string): Promise<Person | null> {
  const code = await store.codes.get(number);
  if (code?.state !== "open" && code?.state !== "taken") return null;
  const known = await store.people.of(who, who.key);
  const wanted = name ?? (shortName(who.name ?? "") || who.id);
  // Somebody else may decide at the same time.
  if (!(await linkTo(store, number, who, known ?? { name: wanted }))) return null;
  await closeAsk(store, number, "taken");
  return store.people.of(who, who.key);
}

/** Denies a newcomer, who is told nothing. False where somebody else decided before, or the time is over. */
export async function turnAway(store: Store, { number }: Request): Promise<boolean> {
  if (!(await store.codes.settle(number, "refused"))) return false;
  await closeAsk(store, number, "declined");
  return true;
}

/** Asks the operators in a private home channel whether to let a newcomer in. Names are data: people choose them. */
export function askToLetIn({ number, who }: Request, at: AskPlace): NewAsk {
  const id = `${newAskId()}${numberSign(number)}` as AskId;
  const whom = `**${escapeMarkdown(who.name ?? who.id)}** (${codeSpan(who.id)} on ${escapeMarkdown(accountName(who))})`;
  return {
    ...{ id, kind: "pairing", person: OPERATOR, sessionId: null, at: [at], ttlMs: CODE_LASTS_MS.pairing },
    message: {
      kind: "question",
      markdown: `${whom} wants to talk to the agent. Let them in? They see what they begin themselves.\n\nIn a terminal: \`hermes people approve ${number}\` or \`hermes people deny ${number}\`.`,
      choices: [
        { id: askChoiceId(id, "take"), label: "Let them in", style: "primary" },
        { id: askChoiceId(id, "decline"), label: "No", style: "plain" },
      ],
    },
    outcomes: {
      taken: `${whom} wanted to talk to the agent. **They were let in.**`,
      declined: `${whom} wanted to talk to the agent. **They were not let in.**`,
      expired: `${whom} wanted to talk to the agent. **Nobody decided in time.**`,
    },
  };
}

/** The request that an ask is about. */
export function requestOf(id: AskId): number | null {
  const [, number] = /--(\d{1,9})$/.exec(id) ?? [];
  return number === undefined ? null : Number(number);
}

function numberSign(number: number): string {
  return `--${number}`;
}

/** Closes the question that is about a request, in whichever home channel it stands. */
async function closeAsk(store: Store, number: number, state: "taken" | "declined"): Promise<void> {
  for (const { chat } of await store.homePeople.list()) {
    for (const { id, kind } of await store.asks.shownAt(chat)) {
      if (kind === "pairing" && requestOf(id) === number) await store.asks.decide(id, state);
    }
  }
}
