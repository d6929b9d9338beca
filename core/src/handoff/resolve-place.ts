import { buildSessionKey } from "../adapter/session-key.ts";
import { HermesError } from "../base/errors.ts";
import { nearMiss } from "../base/near-miss.ts";
import { withoutFullStop } from "../base/text.ts";
import type { UnreachablePlace } from "../model/gateway-row.ts";
import { accountName, type IdentityScope } from "../model/identity.ts";
import type { KnownPlace } from "../model/known-place.ts";
import { type HandoffTarget, homeOf, type PlatformTarget } from "../model/place.ts";
import type { Store } from "../store/store.ts";

/**
 * Finds the place that people mean by `terminal`, `pager`, `pager:work`, `pager/#general` or `#general`; in any case, and
 * with or without a leading # or @. A platform's home channel is not looked up: the handoff says whether there is one.
 * Throws PLACE_UNREACHABLE for a place of the config that is out of reach, PLACE_UNKNOWN with a near miss, and
 * PLACE_AMBIGUOUS with all that are meant.
 */
export async function resolvePlace(store: Pick<Store, "gateways" | "places">, text: string): Promise<HandoffTarget> {
  const typed = text.trim();
  if (typed.toLowerCase() === "terminal") return { kind: "terminal" };
  const slash = typed.indexOf("/");
  if (slash < 0) return (await namedAlone(store, typed)) ?? homeNamed(store, typed);
  const { platform, account } = splitAccount(typed.slice(0, slash));
  const known = (await store.places.list()).filter(
    ({ conversation: at }) =>
      at.platform.toLowerCase() === platform && (account === undefined || at.account?.toLowerCase() === account),
  );
  return one(store, typed, named(known, typed.slice(slash + 1)));
}

/** The home channel of a platform account; an account is written as the gateway has it. */
async function homeNamed(store: Pick<Store, "gateways" | "places">, typed: string): Promise<PlatformTarget> {
  const { platform, account } = splitAccount(typed);
  if (account === undefined) return homeOf(platform);
  const accounts = (await servedAccounts(store)).filter((served) => served.platform === platform);
  const found = accounts.find((served) => served.account?.toLowerCase() === account);
  if (accounts.length > 0 && found === undefined) throw await unknown(store, typed);
  return homeOf(platform, found?.account ?? account);
}

/** A place whose name stands without a platform, unless a platform is called so. */
async function namedAlone(store: Pick<Store, "gateways" | "places">, typed: string): Promise<PlatformTarget | null> {
  const { platform } = splitAccount(typed);
  const known = await store.places.list();
  const isPlatform = [...known.map(({ conversation }) => conversation), ...(await servedAccounts(store))].some(
    (at) => at.platform === platform,
  );
  if (isPlatform) return null;
  const found = named(known, typed);
  const isMeant = found.length > 0 || /^[#@]/.test(typed) || (await unreachableNamed(store, typed)) !== null;
  return isMeant ? one(store, typed, found) : null;
}

async function one(
  store: Pick<Store, "gateways" | "places">,
  typed: string,
  found: readonly KnownPlace[],
): Promise<PlatformTarget> {
  const [first, ...others] = found;
  if (first === undefined) {
    const lost = await unreachableNamed(store, typed);
    if (lost !== null)
      throw new HermesError("PLACE_UNREACHABLE", { place: typed, reason: withoutFullStop(lost.reason) });
    throw await unknown(store, typed);
  }
  if (others.length > 0) {
    throw new HermesError("PLACE_AMBIGUOUS", {
      place: typed,
      count: found.length,
      places: found.map((place) => typedById(place)).join(", "),
    });
  }
  return targetOf(first);
}

/** A known place as a target. */
function targetOf({ key, conversation, called, name }: KnownPlace): PlatformTarget {
  const { platform, account } = conversation;
  return { kind: "conversation", platform, account, key, conversation, name: name ?? called };
}

/** What the operator called a place in the config counts first, and names last: people choose theirs themselves. */
function named(places: readonly KnownPlace[], text: string): readonly KnownPlace[] {
  const wanted = plain(text);
  const by = (namesOf: (place: KnownPlace) => readonly (string | null | undefined)[]) =>
    places.filter((place) => namesOf(place).some((name) => name != null && plain(name) === wanted));
  const called = by(({ called }) => [called]);
  if (called.length > 0) return called;
  const byId = by(({ key, conversation: { chatId, threadId } }) => [
    key,
    threadId === undefined ? chatId : `${chatId}:${threadId}`,
    threadId,
  ]);
  return byId.length > 0 ? byId : by(({ name }) => [name]);
}

function plain(name: string): string {
  return name.trim().toLowerCase().replace(/^[#@]/, "");
}

/** What one types for a place: by its name, or by its id where it has none. */
export function typedPlace({ conversation, called, name }: KnownPlace): string {
  const { chatId, threadId } = conversation;
  return `${accountName(scopeOf(conversation))}/${called ?? name ?? threadId ?? chatId}`;
}

/** What one types for a place whose name another one has, too. */
function typedById({ conversation }: KnownPlace): string {
  const { chatId, threadId } = conversation;
  return `${accountName(scopeOf(conversation))}/${threadId === undefined ? chatId : `${chatId}:${threadId}`}`;
}

function scopeOf({ platform, account }: KnownPlace["conversation"]): IdentityScope {
  return { platform, account };
}

function splitAccount(typed: string): IdentityScope {
  const [platform = "", account] = typed.trim().toLowerCase().split(":", 2);
  return { platform, account: account === "" ? undefined : account };
}

/** A place that the config calls so and that its gateway cannot reach. */
async function unreachableNamed(
  { gateways }: Pick<Store, "gateways">,
  typed: string,
): Promise<UnreachablePlace | null> {
  const slash = typed.indexOf("/");
  const scope = slash < 0 ? null : splitAccount(typed.slice(0, slash));
  const served = (await gateways.alive()).flatMap(({ platforms }) => platforms);
  const meant = served.filter(
    ({ platform, account }) =>
      scope === null ||
      (platform === scope.platform && (scope.account === undefined || account?.toLowerCase() === scope.account)),
  );
  const wanted = plain(typed.slice(slash + 1));
  return meant.flatMap(({ unreachable = [] }) => unreachable).find(({ called }) => plain(called) === wanted) ?? null;
}

async function servedAccounts({ gateways }: Pick<Store, "gateways">): Promise<IdentityScope[]> {
  const alive = await gateways.alive();
  return alive.flatMap((gateway) => gateway.platforms.map(({ platform, account }) => ({ platform, account })));
}

/** All that can be typed for a handoff, the homes first. */
export async function typedPlaces(store: Pick<Store, "gateways" | "places">): Promise<string[]> {
  const alive = await store.gateways.alive();
  const homes = alive.flatMap(({ platforms }) =>
    platforms.map(({ platform, account, takesHandoffs }) =>
      takesHandoffs ? platform : accountName({ platform, account }),
    ),
  );
  const isHome = new Set(alive.flatMap(({ platforms }) => platforms.map(({ home }) => home?.key)));
  const places = (await store.places.list()).filter(({ conversation }) => !isHome.has(buildSessionKey(conversation)));
  return [...new Set([...homes, ...places.map(typedPlace)])];
}

async function unknown(store: Pick<Store, "gateways" | "places">, typed: string): Promise<HermesError> {
  const all = [...(await typedPlaces(store)), "terminal"];
  const lower = new Map(all.map((name) => [name.toLowerCase().replace("/#", "/").replace("/@", "/"), name]));
  const wanted = typed.toLowerCase().replace("/#", "/").replace("/@", "/");
  const ofName = [...lower].find(([name]) => name.slice(name.indexOf("/") + 1) === plain(typed));
  const meant = ofName?.[1] ?? lower.get(nearMiss(wanted, [...lower.keys()]) ?? "");
  if (meant !== undefined) return new HermesError("PLACE_MISTYPED", { place: typed, meant });
  return new HermesError("PLACE_UNKNOWN", { place: typed });
}
