import { chatOf } from "../adapter/conversation.ts";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import { withoutFullStop } from "../base/text.ts";
import type { GatewayRow, ServedPlatform } from "../model/gateway-row.ts";
import { type Handoff, isInFlight } from "../model/handoff.ts";
import type { PlatformTarget } from "../model/place.ts";
import { chatCalled } from "../model/place-name.ts";
import { inFlightError } from "../model/refusals.ts";
import type { SessionId, Surface, UserId } from "../model/session.ts";
import { nameOfPlace } from "../store/look-up-place.ts";
import { nextChange } from "../store/next-change.ts";
import type { Store } from "../store/store.ts";
import { readersAt } from "./readers.ts";

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
}

export interface HandoffWish {
  /** Null for a session that is still to be made. */
  readonly sessionId: SessionId | null;
  /** A home without an account is that of the account which the platform's bare name means. */
  readonly to: PlatformTarget;
  /** Who asks for it; the person at the terminal where it is left out. */
  readonly by?: UserId | undefined;
  /** The platforms of the caller's config: tells one that is misspelt from one that no gateway serves. */
  readonly configured?: readonly string[];
}

/** What a handoff would find. */
export interface HandoffOutlook {
  readonly gateway: GatewayRow;
  readonly served: ServedPlatform;
  /** The account that has it. */
  readonly to: PlatformTarget;
  /** Who else will read it, to begin a sentence: `Everybody in #general`, `Ada`; null for nobody. */
  readonly audience: string | null;
}

/**
 * What a handoff waits for. `take-over`: its gateway died or left, and another one is about to serve the platform.
 * `platform`: it cannot be reached for a moment. `gateway`: it is stopped or kept from the store.
 */
export type HandoffWaitsFor = "take-over" | "platform" | "gateway";

/** How a platform is waited for that cannot be had just now, and soon can. */
export interface TakeOverWait {
  /** In milliseconds. */
  readonly ttlMs: number;
  /** Ends the wait with HANDOFF_CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** Called when it has to be waited for, and when that becomes something else. */
  readonly onWaiting?: (waitsFor: HandoffWaitsFor) => void;
}

/** Default milliseconds that a request waits for a gateway. */
const DEFAULT_TTL_MS = 60_000;

/** Polling interval in milliseconds while waiting: a gateway that died cannot wake the waiter up. */
const LOOK_AGAIN_MS = 500;

type ConversationTarget = Extract<PlatformTarget, { kind: "conversation" }>;

/** Nothing can be asked for yet, and waiting helps. */
interface NotYet {
  readonly waitsFor: HandoffWaitsFor;
  /** The result for a caller that does not wait. */
  readonly refusal: HermesError;
}

/**
 * Whether a session can be handed off, from the gateways' heartbeats alone; `wait` says how long a platform is waited for
 * that soon can be had, not at all where it is left out. Writes nothing.
 * Throws a HermesError that says what is in the way and what to do. When the wait is over: HANDOFF_NOT_CLAIMED, or why
 * the platform cannot be reached.
 */
export async function checkHandoff(
  { store, clock }: Deps,
  wish: HandoffWish,
  wait?: TakeOverWait,
): Promise<HandoffOutlook> {
  const until = clock.now() + (wait?.ttlMs ?? 0);
  let told: HandoffWaitsFor | null = null;
  for (;;) {
    using change = nextChange(store, clock, wait?.signal);
    const outlook = await look({ store, clock }, wish);
    if (!("waitsFor" in outlook)) return outlook;
    const { waitsFor, refusal } = outlook;
    if (wait === undefined) throw refusal;
    if (clock.now() >= until) {
      throw waitsFor === "platform" ? refusal : new HermesError("HANDOFF_NOT_CLAIMED", { seconds: wait.ttlMs / 1000 });
    }
    if (waitsFor !== told) wait.onWaiting?.(waitsFor);
    told = waitsFor;
    await change.within(Math.min(LOOK_AGAIN_MS, until - clock.now()));
    if (wait.signal?.aborted) throw new HermesError("HANDOFF_CANCELLED", {});
  }
}

/** What a handoff would find now. */
async function look({ store, clock }: Deps, wish: HandoffWish): Promise<HandoffOutlook | NotYet> {
  const session = wish.sessionId && (await store.sessions.get(wish.sessionId));
  if (wish.sessionId && !session) throw new HermesError("SESSION_UNKNOWN", { reference: wish.sessionId });
  const latest = session && (await store.handoffs.latestOf(session.id));
  if (latest && isInFlight(latest)) throw inFlightError(latest, clock.now());

  const gateways = await store.gateways.alive();
  if (gateways.length === 0) {
    const silent = await store.gateways.silent();
    if (silent.length > 0) {
      // Throws where they would not serve the platform either.
      pickGateway(silent, wish);
      return { waitsFor: "gateway", refusal: noGatewayError(wish.to.platform) };
    }
  }
  const { gateway, served } = pickGateway(gateways, wish);
  const wanted = atHome(wish.to, served);
  const { platform } = wanted;
  // The platform's health says why a home channel cannot be reached.
  const isHomeLost =
    wanted.kind === "home" &&
    served.home === null &&
    served.health.state !== "up" &&
    served.health.detail !== undefined;
  if (served.health.state === "down" || served.health.state === "starting" || isHomeLost) {
    const unhealthy = new HermesError("HANDOFF_PLATFORM_UNHEALTHY", {
      platform,
      // Usually a whole sentence; here it ends another one.
      detail: withoutFullStop(served.health.detail ?? `it is ${served.health.state}`),
    });
    // The one that is asked stands by only where no gateway that lives has the account.
    if (served.standby || served.health.state === "starting") return { waitsFor: "take-over", refusal: unhealthy };
    if (served.isRecovering) return { waitsFor: "platform", refusal: unhealthy };
    throw unhealthy;
  }
  const { at, audience } =
    wanted.kind === "home" ? await homeOfServed(store, served) : await conversationOf(store, wanted, served, wish.by);
  if (session) {
    const turn = await store.turns.running(session.id);
    // A turn that waits may have moved since the session was used last.
    await refuseIfThere(store, turn?.state === "waiting" ? turn.surface : session.lastSurface, at, latest);
  }
  return { gateway, served, to: { ...wanted, account: served.account }, audience };
}

/** A conversation that is the home channel is handed to as such. */
function atHome(to: PlatformTarget, { platform, account, home }: ServedPlatform): PlatformTarget {
  return to.kind === "conversation" && to.key === home?.key ? { kind: "home", platform, account } : to;
}

/** Where a handoff would go, and who else would read it there. */
interface Prospect {
  readonly at: { readonly platform: string; readonly key: SessionKey; readonly threadId: string | undefined };
  readonly audience: string | null;
}

async function homeOfServed({ places }: Store, { platform, home }: ServedPlatform): Promise<Prospect> {
  if (home === null) throw new HermesError("CONFIG_HOME_CHANNEL_MISSING", { platform });
  const name = home.name ?? (await places.get(home.key))?.name;
  if (home.kind !== "dm" && home.shared !== true) {
    throw new HermesError("CONFIG_HOME_CHANNEL_NOT_SHARED", { platform, home: name ?? home.chatId });
  }
  return {
    at: { platform, key: home.key, threadId: home.threadId },
    audience: home.kind === "dm" ? null : `Everybody in ${chatCalled(name, { platform, chatId: home.chatId })}`,
  };
}

async function conversationOf(
  store: Store,
  to: ConversationTarget,
  served: ServedPlatform,
  by: UserId | undefined,
): Promise<Prospect> {
  const { platform, key, conversation } = to;
  const audience = await readersAt(store, to, served, by);
  return { at: { platform, key, threadId: conversation.threadId }, audience };
}

/** Checks, then writes the request. A platform that soon can be had is waited for, within the request's `ttlMs`. */
export async function requestHandoff(
  deps: Deps,
  wish: HandoffWish & {
    readonly sessionId: SessionId;
    readonly from?: Surface;
    readonly ttlMs?: number;
    readonly signal?: AbortSignal;
  },
): Promise<HandoffOutlook & { readonly handoff: Handoff }> {
  const { ttlMs = DEFAULT_TTL_MS, signal } = wish;
  const { store, clock } = deps;
  const askedAt = clock.now();
  for (;;) {
    const known = await store.handoffs.latestOf(wish.sessionId);
    const outlook = await checkHandoff(deps, wish, { ttlMs, signal });
    const result = await store.handoffs.requestHandoff(wish.sessionId, outlook.to, {
      ...(wish.from === undefined ? {} : { from: wish.from }),
      by: wish.by,
      ttlMs: timeLeft(ttlMs, clock.now() - askedAt),
      after: known?.id ?? null,
    });
    if (result.ok) return { ...outlook, handoff: result.handoff };
    switch (result.reason) {
      case "in_flight":
        throw inFlightError(result.handoff, clock.now());
      case "unknown_session":
        throw new HermesError("SESSION_UNKNOWN", { reference: wish.sessionId });
      case "moved":
      // This process was stopped for a while, say: where the session is by now is checked anew.
    }
  }
}

/** What is left of a request's time, in milliseconds; enough to be claimed by a gateway that has just come up. */
export function timeLeft(ttlMs: number, waitedMs: number): number {
  return Math.max(Math.min(ttlMs, 1_000), ttlMs - waitedMs);
}

/** The gateway that serves a platform and has its account; one that stands by is not it. */
function pickGateway(
  gateways: readonly GatewayRow[],
  { to: { kind, platform, account }, configured }: HandoffWish,
): { readonly gateway: GatewayRow; readonly served: ServedPlatform } {
  const [first] = gateways;
  const known = new Set([...(configured ?? []), ...gateways.flatMap((gateway) => gateway.platforms.map(nameOf))]);
  if (configured && !known.has(platform)) {
    throw new HermesError("HANDOFF_PLATFORM_UNKNOWN", { platform, known: [...known].join(", ") || "none" });
  }
  if (!first) throw noGatewayError(platform);
  const isMeant = (served: ServedPlatform) =>
    kind === "home" && account === undefined ? served.takesHandoffs : served.account === account;
  const serving = gateways.flatMap((gateway) =>
    gateway.platforms
      .filter((served) => served.platform === platform && isMeant(served))
      .map((served) => ({ gateway, served })),
  );
  const [found] = serving.sort((a, b) => distance(a.served) - distance(b.served));
  if (found) return found;
  const served = [...new Set(gateways.flatMap((gateway) => gateway.platforms.map(nameOf)))];
  throw new HermesError("HANDOFF_PLATFORM_NOT_SERVED", {
    platform,
    served: served.join(", ") || "none",
    config: first.configPath ?? "of the gateway",
  });
}

/** One that stands by is not asked; one that is down only where no other gateway has the platform. */
function distance({ standby, health }: ServedPlatform): number {
  return standby ? 2 : health.state === "down" ? 1 : 0;
}

/** A session that was last used in the chat it would go to, or in a thread of it, has nowhere to move. */
async function refuseIfThere(
  store: Store,
  lastSurface: Surface,
  there: Prospect["at"],
  latest: Handoff | null,
): Promise<void> {
  if (lastSurface === "terminal") return;
  const binding = await store.bindings.get(lastSurface);
  if (!binding) return;
  const { conversation } = binding;
  const at = there.threadId === undefined ? chatOf(conversation) : conversation;
  if (buildSessionKey(at) !== there.key) return;
  const link = latest?.conversation?.threadId === conversation.threadId ? latest?.link : null;
  throw new HermesError("HANDOFF_ALREADY_THERE", {
    link: link ?? (await nameOfPlace(store, binding)),
  });
}

function noGatewayError(platform: string): HermesError {
  return new HermesError("HANDOFF_NO_GATEWAY", { platform });
}

function nameOf({ platform }: ServedPlatform): string {
  return platform;
}
