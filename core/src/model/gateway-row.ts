import type { AdapterHealth } from "../adapter/capabilities.ts";
import type { ChatKind, HomeChannel } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Holder } from "../base/process-identity.ts";
import { withoutFullStop } from "../base/text.ts";

/** A gateway's status, written with each heartbeat. The CLI reads it instead of loading plugins. */
export interface GatewayRow {
  readonly id: string;
  readonly holder: Holder;
  readonly startedAt: number;
  readonly heartbeatAt: number;
  /** The config it was started with; null without one. */
  readonly configPath: string | null;
  /** Whether that config has changed since; the gateway still uses the old one. */
  readonly configChanged?: boolean;
  readonly platforms: readonly ServedPlatform[];
}

export interface ServedPlatform {
  readonly platform: string;
  readonly account?: string | undefined;
  readonly health: AdapterHealth;
  /** Whether another gateway has the account; this one takes over when that one ends. */
  readonly standby: boolean;
  /** Whether it, or its home channel, became unreachable seconds ago and is being retried: a handoff waits for it. */
  readonly isRecovering?: boolean | undefined;
  /** Whether the platform's bare name means this account: the first of its platform in the config. */
  readonly takesHandoffs: boolean;
  /** The home channel, its kind of chat, and the key of that chat or thread. */
  readonly home: (HomeChannel & { readonly kind: ChatKind; readonly key: SessionKey }) | null;
  /** The places of the config that could not be reached when they were looked up last. They are looked up again. */
  readonly unreachable?: readonly UnreachablePlace[] | undefined;
  /** What people should know about who is in the home channel, and what to do about it: sentences for people. */
  readonly notice?: string | undefined;
}

/** How a platform is, for people: its state, then what is to be known of it; `up`, or `degraded` and why. */
export function platformState({ health, standby }: ServedPlatform): readonly [state: string, ...details: string[]] {
  const details = health.detail === undefined ? [] : [withoutFullStop(health.detail)];
  return [standby ? "standing by" : health.state, ...details];
}

/** A place of the config's `places` that the platform does not let the bot reach. */
export interface UnreachablePlace {
  readonly called: string;
  /** One sentence of the platform's. */
  readonly reason: string;
}
