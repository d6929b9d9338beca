import type { Clock } from "../base/clock.ts";
import { durationText } from "../base/duration.ts";
import { HermesError } from "../base/errors.ts";
import { oneLine } from "../base/one-line.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Away } from "../model/away.ts";
import { homeOf, type PlatformTarget } from "../model/place.ts";
import type { SessionId, UserId } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { checkHandoff } from "./request-handoff.ts";

interface AwayWish extends Pick<Away, "restMs" | "by"> {
  readonly sessionId: SessionId;
  /** As people type it. */
  readonly where: string;
  /** It is meant although others can read it there. */
  readonly yes: boolean;
  /** How such a command is typed: `/away <where> --yes`. */
  again(words: string): string;
}

/**
 * Has a session go to a place by itself. Throws what a handoff there would be refused with now: the place is unknown or
 * ambiguous, nobody serves it, others read it and its config does not share it.
 */
export async function setAway(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { sessionId, where, restMs, by, yes, again }: AwayWish,
): Promise<Away> {
  const wanted = targetOf(where);
  const { to, audience } = await checkHandoff({ store, clock }, { sessionId: null, to: wanted });
  if (audience !== null && !yes) {
    const reason = `Everybody in ${audience} would be able to read this session; if that is meant, \`${again(`away ${where} --yes`)}\``;
    throw new HermesError("USAGE", { reason, command: "hermes away" });
  }
  if (!(await store.away.set(sessionId, { to, restMs, by }))) {
    throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
  }
  const away = await store.away.get(sessionId);
  if (away === null) throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
  return away;
}

/** Reads `<platform>` or `<platform>:<account>`. */
function targetOf(where: string): PlatformTarget {
  const [platform = "", ...account] = where.trim().split(":");
  if (platform.toLowerCase() === "terminal") {
    throw new HermesError("USAGE", { reason: "Away is for when you are not at the terminal", command: "hermes away" });
  }
  return homeOf(platform.toLowerCase(), account.join(":") || undefined);
}

/** Says as Markdown where a session would go. */
export async function awayNow(
  store: Store,
  sessionId: SessionId | null,
  typed: (words: string) => string,
): Promise<string> {
  const away = sessionId === null ? null : await store.away.get(sessionId);
  if (away !== null) return awayIs(away, typed("away off"));
  return `This session goes nowhere by itself. \`${typed("away <where>")}\` sets where it goes when nobody is at the terminal.`;
}

/** What people type and read for a target. */
export function targetText(to: PlatformTarget): string {
  const account = to.account === undefined ? to.platform : `${to.platform}:${to.account}`;
  return to.kind === "home" ? account : `${account}/${oneLine(to.name ?? to.conversation.chatId)}`;
}

/** Says as Markdown what is set. */
export function awayIs({ to, restMs }: Away, off: string): string {
  return (
    `When you leave this terminal, or touch no key for ${durationText(restMs)}, and the turn that ran has ended or asks ` +
    `something, this session goes to ${escapeMarkdown(targetText(to))} by itself, once. \`${off}\` takes that back.`
  );
}
