import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { type Ask, type AskPlace, askChoiceId, type NewAsk, newAskId, type TakeAlongResult } from "../model/ask.ts";
import { NOT_TAKEN_ALONG } from "../model/offer-text.ts";
import type { Session, SessionId, UserId, Visibility } from "../model/session.ts";
import { OFFERED_FOR_MS } from "../store/ask-store.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./command.ts";
import { sessionName } from "./session-list.ts";
import { sayAgo } from "./words.ts";

/** An offer to go on with a session at a place. */
export interface Offered {
  readonly session: Session;
  readonly person: UserId;
  readonly at: AskPlace | "terminal";
  readonly fresh?: SessionId;
}

/** Words an offer: what the session is called, where and when it was used last, and what can be answered. */
export async function newOffer(
  {
    store,
    clock,
    typed,
  }: Pick<CommandContext, "clock" | "typed"> & { readonly store: Pick<Store, "bindings" | "handoffs" | "places"> },
  { session, person, at, fresh }: Offered,
): Promise<NewAsk> {
  const id = newAskId();
  const name = `**${sessionName(session)}**`;
  const where = await lookUpPlace(store, session.lastSurface);
  const used = `You used it ${escapeMarkdown(where)}, ${sayAgo(clock.now(), session.updatedAt)}.`;
  const how = `What you have written here goes along. You can also type \`${typed("continue")}\` or, to decline, \`${typed("continue no")}\`.`;
  return {
    ...{ id, kind: "offer", person, sessionId: session.id, at: [at], fresh, ttlMs: OFFERED_FOR_MS },
    message: {
      ...{ kind: "question", markdown: `Go on here with ${name}? ${used}\n\n${how}` },
      choices: [
        { id: askChoiceId(id, "take"), label: "Go on with it", style: "primary" },
        { id: askChoiceId(id, "decline"), label: "No", style: "plain" },
      ],
    },
    outcomes: {
      taken: `Go on here with ${name}? **Yes: you are in it now.**`,
      declined: `Go on here with ${name}? **No.**`,
      expired: `Go on here with ${name}? **This offer has expired.** \`${typed("resume")}\` lists your sessions.`,
    },
  };
}

/** What somebody may go on with at a place: in the terminal what was sent there, else what they used elsewhere. */
export async function offeredAt({
  store,
  user,
  visible,
  surface,
}: Pick<CommandContext, "store" | "user" | "visible" | "surface">): Promise<Session | null> {
  const sent = surface === "terminal" ? (await store.handoffs.offeredToTerminal()).at(-1) : undefined;
  const session = sent === undefined ? null : await store.sessions.get(sent.sessionId);
  return session ?? store.asks.offerable({ person: user, visible, surface });
}

/** The open offer that stands at a place for whoever writes there; null where none does. */
export async function offerHere({ store, surface, user }: Pick<CommandContext, "store" | "surface" | "user">) {
  const shown = await store.asks.shownAt(surface);
  return shown.findLast(({ kind, person }) => kind === "offer" && person === user) ?? null;
}

/** Whether whoever was offered a session may see it still: an operator then may be none now. */
export async function mayTake(
  { sessions }: Pick<Store, "sessions">,
  { sessionId }: Pick<Ask, "sessionId">,
  visible: Visibility,
): Promise<boolean> {
  if (visible.kind !== "begun-by" || sessionId === null) return true;
  const session = await sessions.get(sessionId);
  return session === null || session.user === visible.user;
}

/** What came of taking an offer, for whoever took it; null where that shows by itself. */
export function sayTaken(result: TakeAlongResult): string | null {
  switch (result.state) {
    case "taken":
      return null;
    case "waits":
      return "You switch to it as soon as the answer to your message here is complete.";
    case "over":
      return sayOver(result.ask);
    case "unknown":
      return "That session is gone.";
    case "refused":
      return NOT_TAKEN_ALONG[result.reason];
  }
}

export function sayOver({ state, outcomes, message }: Ask): string {
  return state === "open" ? message.markdown : outcomes[state];
}

/** Title, place and age of an offered session, on one line. */
export async function offerLine(
  { store, clock }: Pick<CommandContext, "store" | "clock">,
  session: Session,
): Promise<string> {
  const where = await lookUpPlace(store, session.lastSurface);
  return `${session.title ?? session.id} · ${where}, ${sayAgo(clock.now(), session.updatedAt)}`;
}
