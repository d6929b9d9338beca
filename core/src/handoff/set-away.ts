import type { Clock } from "../base/clock.ts";
import { durationText } from "../base/duration.ts";
import { HermesError } from "../base/errors.ts";
import { oneLine } from "../base/one-line.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Away } from "../model/away.ts";
import { type HandoffTarget, typedTarget } from "../model/place.ts";
import type { SessionId } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { readersAt } from "./readers.ts";
import { checkHandoff } from "./request-handoff.ts";
import { resolvePlace } from "./resolve-place.ts";

interface AwayWish extends Pick<Away, "restMs" | "by"> {
  readonly sessionId: SessionId;
  /** As people type it. */
  readonly where: string;
  /** It is meant although others can read it there. */
  readonly yes: boolean;
  /** How such a command is typed: `/away <place> --yes`. */
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
  const wanted = await resolvePlace(store, where);
  if (wanted.kind === "terminal") {
    throw new HermesError("USAGE", { reason: "Away is for when you are not at the terminal", command: "hermes away" });
  }
  const { to, audience } = await checkHandoff({ store, clock }, { sessionId: null, to: wanted });
  await refuseUnmeant(store, to);
  if (audience !== null && !yes) {
    throw new HermesError("HANDOFF_READ_BY_OTHERS", { readers: audience, command: again(`away ${where} --yes`) });
  }
  if (!(await store.away.set(sessionId, { to, restMs, by }))) {
    throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
  }
  const away = await store.away.get(sessionId);
  if (away === null) throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
  return away;
}

/**
 * Throws where a session may not go by itself, since nobody is there to say yes: others can read it and the config does
 * not say that they may, or it is the private chat of somebody who may not talk to Hermes. A home channel is looked at by
 * whoever carries the handoff out.
 */
export async function refuseUnmeant(
  store: Pick<Store, "places" | "grants" | "identities" | "people" | "gateways">,
  to: HandoffTarget,
): Promise<void> {
  if (to.kind !== "conversation") return;
  const { platform, account, conversation, key } = to;
  const served = (await store.gateways.alive()).flatMap(({ platforms }) => platforms);
  const ours = served.find((one) => one.platform === platform && one.account === account && !one.standby);
  await readersAt(store, to, ours ?? { home: null });
  const place = await store.places.get(key);
  if (conversation.kind !== "dm" && !(place?.called != null && place.shared)) {
    throw new HermesError("CONFIG_PLACE_NOT_SHARED", { platform, place: typedTarget(to) });
  }
}

/** Says as Markdown where a session would go. */
export async function awayNow(
  store: Store,
  sessionId: SessionId | null,
  typed: (words: string) => string,
): Promise<string> {
  const away = sessionId === null ? null : await store.away.get(sessionId);
  if (away !== null) return awayIs(away, typed("away off"));
  return `This session goes nowhere by itself. \`${typed("away <place>")}\` sets where it goes when nobody is at the terminal.`;
}

/** Says as Markdown what is set. */
export function awayIs({ to, restMs }: Away, off: string): string {
  return (
    `If a turn ends or waits for an answer after you leave this terminal or press no key for ${durationText(restMs)}, ` +
    `this session goes to ${escapeMarkdown(oneLine(typedTarget(to)))} by itself, once. \`${off}\` turns this off.`
  );
}
