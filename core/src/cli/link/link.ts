import { HermesError } from "../../base/errors.ts";
import { ageText } from "../../base/text.ts";
import { findPerson } from "../../command/find-person.ts";
import { type Linked, type Linking, linkByCode, newLinkCode } from "../../command/link-identity.ts";
import { type Code, readCode, shownCode } from "../../model/code.ts";
import { accountName } from "../../model/identity.ts";
import type { Person } from "../../model/person.ts";
import { OPERATOR } from "../../model/session.ts";
import { linkDocument } from "../../overview/newcomers.ts";
import { nextChange } from "../../store/next-change.ts";
import { askOnTerminal } from "../../terminal/input/line-reader.ts";
import { canAsk, isYes } from "../confirm.ts";
import type { CliContext, TerminalHost } from "../context.ts";

interface LinkOptions {
  readonly code?: string;
  readonly person?: string;
  readonly yes?: boolean;
}

/** What the command ends with where a person had to be asked, and nobody was there. */
const NOBODY_ASKED_EXIT = 75;

/** `hermes link` */
export function link(
  context: CliContext,
  argument: string | undefined,
  { code: option, person: reference, yes = false }: LinkOptions,
): Promise<number> {
  return context.withHost(
    async (host) => {
      const person = await personFor(host, reference);
      const typed = argument ?? option;
      if (typed !== undefined) return linkWith(context, host, { typed, person: reference && person, yes });
      await answerClaims(context, host);
      return linkNew(context, host, person);
    },
    { needsConfig: false },
  );
}

async function personFor({ store }: TerminalHost, reference: string | undefined): Promise<Person> {
  const person = reference === undefined ? await store.people.get(OPERATOR) : await findPerson(store, reference);
  if (person === null) throw new HermesError("PERSON_UNKNOWN", { reference: reference ?? OPERATOR });
  return person;
}

/** Uses a code that somebody sent, or that a chat gave. `person`: where the line names one. */
async function linkWith(
  context: CliContext,
  host: TerminalHost,
  { typed, person, yes }: { readonly typed: string; readonly person: Person | "" | undefined; readonly yes: boolean },
): Promise<number> {
  const { output } = context;
  const read = readCode(typed);
  const code = read && (await host.store.codes.find(read));
  if (!code) throw new HermesError("CODE_INVALID", {});
  const whom = person || (await personOf(host, code));
  const mayAsk = canAsk(output);
  const linking = linkingOn(context, host, whom, yes ? async () => true : mayAsk ? undefined : async () => null);
  const result = await linkByCode(linking, code);
  output.document(linkDocument(code, whom, result));
  sayResult(context, code, whom, result);
  if (result === "unanswered" && !mayAsk)
    output.note("Cannot ask without a terminal; pass --yes to confirm that it is them.");
  return result === "unanswered" ? NOBODY_ASKED_EXIT : result === "refused" ? 1 : 0;
}

/** Prints a code, and waits at a terminal until somebody has sent it. */
async function linkNew(context: CliContext, host: TerminalHost, person: Person): Promise<number> {
  const { output } = context;
  const { code, made } = await newLinkCode(host.store, person);
  const shown = shownCode(code);
  const lasts = ageText(made.expiresAt - host.clock.now());
  output.document({ code: shown, ...linkDocument(made, person, "open") });
  output.line(`Send this to the bot in a private chat, from the account to link, within ${lasts}: ${shown}`);
  if (!canAsk(output)) {
    output.line(`Then \`hermes link ${shown}\` shows who sent it, and asks whether that is ${nameOf(person)}.`);
    return 0;
  }
  const sent = await untilSent(context, host, made);
  if (sent.state === "open") {
    output.note("It is valid for a while still: `hermes link`, or the next terminal, asks when somebody has sent it.");
    return 0;
  }
  if (sent.state !== "taken") throw new HermesError("CODE_INVALID", {});
  const result = await linkByCode(linkingOn(context, host, person), sent);
  sayResult(context, sent, person, result);
  return result === "linked" ? 0 : 1;
}

/** The code when it was sent or is over, or as it is on Ctrl-C. */
async function untilSent({ io }: CliContext, { store, clock }: TerminalHost, made: Code): Promise<Code> {
  const letGo = new AbortController();
  using _interrupt = io.onSignal("SIGINT", () => letGo.abort());
  for (;;) {
    using change = nextChange(store, clock, letGo.signal);
    const code = (await store.codes.get(made.number)) ?? made;
    if (code.state !== "open" || letGo.signal.aborted) return code;
    await change.within(code.expiresAt - clock.now() + 1);
  }
}

/** Asks about codes that were sent while nobody sat at a terminal. */
export async function answerClaims(context: CliContext, host: TerminalHost, ask?: Linking["ask"]): Promise<void> {
  if (!canAsk(context.output)) return;
  for (const code of await host.store.codes.list("link")) {
    if (code.state !== "taken") continue;
    const person = await personOf(host, code);
    context.output.line("Somebody sent a link code of yours:");
    const result = await linkByCode(linkingOn(context, host, person, ask), code);
    sayResult(context, code, person, result);
  }
}

/** `/link` in the chat: makes a code, or uses one that a chat gave. Returns what is to be said. */
export async function linkFromChat(
  context: CliContext,
  host: TerminalHost,
  typed: string | null,
  ask: Linking["ask"],
): Promise<string> {
  if (typed === null) {
    const { code } = await newLinkCode(host.store, await personFor(host, undefined));
    const shown = shownCode(code);
    const then = canAsk(context.output) ? "This terminal" : `Then \`hermes link ${shown}\``;
    return `Send this to the bot in a private chat, from the account to link, within 10 minutes: \`${shown}\`. ${then} asks whether it is you.`;
  }
  const code = await host.store.codes.find(typed);
  if (code === null) throw new HermesError("CODE_INVALID", {});
  const person = await personOf(host, code);
  const result = await linkByCode(linkingOn(context, host, person, ask), code);
  sayResult(context, code, person, result);
  return "";
}

function linkingOn({ output }: CliContext, host: TerminalHost, person: Person, ask?: Linking["ask"]): Linking {
  const { store } = host;
  return {
    store,
    person,
    ask: async (lines, question) => {
      for (const line of lines) output.line(line);
      if (ask !== undefined) return ask(lines, question);
      const answer = await askOnTerminal(output, `${question} (y/n)`);
      return answer === null ? null : isYes(answer);
    },
  };
}

async function personOf(host: TerminalHost, { person }: Code): Promise<Person> {
  return (person && (await host.store.people.get(person))) || (await personFor(host, undefined));
}

function sayResult({ output }: CliContext, { who }: Code, person: Person, result: Linked): void {
  const account = who === null ? "" : `${who.name ?? who.id} on ${accountName(who)}`;
  if (result === "linked") output.line(`${account} is ${nameOf(person)} from now on. \`hermes people\` shows it.`);
  if (result === "refused") output.line("Nothing was linked; the code is no longer valid.");
  if (result === "open") output.line("Nobody has sent this code yet.");
}

function nameOf({ id, name }: Person): string {
  return id === OPERATOR ? "you" : name;
}
