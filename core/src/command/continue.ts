import { HermesError } from "../base/errors.ts";
import { refuseWhileInFlight } from "../handoff/handoff-in-flight.ts";
import type { Ask } from "../model/ask.ts";
import { readCode } from "../model/code.ts";
import type { Session } from "../model/session.ts";
import { OFFERED_FOR_MS } from "../store/ask-store.ts";
import type { Command, CommandContext, CommandResult } from "./command.ts";
import { mayTake, newOffer, offeredAt, offerHere, sayOver, sayTaken } from "./offer.ts";
import { takesOnly } from "./parse-command.ts";
import { sessionName } from "./session-list.ts";
import { takePass } from "./take-pass.ts";

const NOTHING = "There is nothing to go on with: you used no other session elsewhere within the last half hour.";

export const continueCommand: Command = {
  name: "continue",
  description: "Go on here with what you did elsewhere",
  category: "Session",
  aliases: [],
  argumentHint: "[no|pass]",
  async run(place, argument) {
    // Where a platform's private chat had a pass, it was used before any command runs.
    const code = readCode(argument);
    if (code !== null) return usePass(place, code);
    if (!/^(?:yes|y|no?)?$/i.test(argument)) throw takesOnly("continue", "`no`, the code of a pass, or no argument");
    const offer = await offerHere(place);
    const isTheirs = offer === null || (await mayTake(place.store, offer, place.visible));
    if (/^no?$/i.test(argument) || !isTheirs) return decline(place, offer);
    if (offer !== null) return take(place, offer);
    // A shared chat goes on with nobody's own session unasked.
    const session = place.visible.kind === "of-chat" ? null : await offeredAt(place);
    if (session === null) return { reply: `${NOTHING} \`${place.typed("resume")}\` lists them all.` };
    const here = await place.session();
    if (here?.id === session.id) return { reply: `You are in **${sessionName(session)}** already.` };
    if (here !== null && here.messageCount > 0) return takeUnasked(place, session, here);
    await refuseWhileInFlight(place, session.id);
    await place.switchTo(session);
    return { reply: `You go on here with **${sessionName(session)}**.` };
  },
};

async function usePass(place: CommandContext, code: string): Promise<CommandResult> {
  if (place.surface !== "terminal") throw new HermesError("CODE_INVALID", {});
  const session = await takePass(place, code);
  await place.switchTo(session);
  return { reply: `You go on here with **${sessionName(session)}**.` };
}

async function decline({ store }: CommandContext, offer: Ask | null): Promise<CommandResult> {
  if (offer === null) return { reply: "Nothing is offered here." };
  const result = await store.asks.decide(offer.id, "declined");
  // The question itself shows the answer.
  return { reply: result.state === "over" ? sayOver(result.ask) : "It stays where it is." };
}

async function take(place: CommandContext, { id, sessionId }: Pick<Ask, "id" | "sessionId">): Promise<CommandResult> {
  const result = await place.store.asks.takeAlong(id);
  const session = sessionId === null ? null : await place.store.sessions.get(sessionId);
  if (result.state !== "taken" || session === null) return { reply: sayTaken(result) ?? "" };
  if (place.surface === "terminal") await place.switchTo(session);
  return { reply: `You go on here with **${sessionName(session)}**.` };
}

/** Takes along what was begun at a place that shows no offer, such as the terminal, where it began lately. */
async function takeUnasked(place: CommandContext, session: Session, here: Session): Promise<CommandResult> {
  const { store, clock, surface, user } = place;
  if (surface !== "terminal" || here.origin !== surface || clock.now() - here.createdAt > OFFERED_FOR_MS) {
    return { reply: `Nothing is offered here. \`${place.typed("resume")}\` lists your sessions.` };
  }
  const offer = await store.asks.open(await newOffer(place, { session, person: user, at: "terminal", fresh: here.id }));
  return take(place, offer);
}
