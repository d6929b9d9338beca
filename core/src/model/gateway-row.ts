import type { AdapterHealth } from "../adapter/capabilities.ts";
import type { ChatKind, HomeChannel } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Holder } from "../base/process-identity.ts";

/** What a gateway says of itself with each heartbeat. The CLI reads it instead of loading plugins. */
export interface GatewayRow {
  readonly id: string;
  readonly holder: Holder;
  readonly startedAt: number;
  readonly heartbeatAt: number;
  /** The config it runs on; null without one. */
  readonly configPath: string | null;
  /** That config is not any more what the gateway was started with, and runs on. */
  readonly configChanged?: boolean;
  readonly platforms: readonly ServedPlatform[];
}

export interface ServedPlatform {
  readonly platform: string;
  readonly account?: string | undefined;
  readonly health: AdapterHealth;
  /** Another gateway has the account; this one takes over when that ends. */
  readonly standby: boolean;
  /** It, or its home channel, cannot be reached since a few seconds, and is tried again: a handoff waits for it. */
  readonly isRecovering?: boolean | undefined;
  /** Handoffs go to the account that the config names first for a platform. */
  readonly takesHandoffs: boolean;
  /** The home channel, what kind of chat it is, and the key of that chat, or of the thread where it is one. */
  readonly home: (HomeChannel & { readonly kind: ChatKind; readonly key: SessionKey }) | null;
  /** What is to be known of who is in the home channel, and what to do about it: a sentence for people. */
  readonly notice?: string | undefined;
}
