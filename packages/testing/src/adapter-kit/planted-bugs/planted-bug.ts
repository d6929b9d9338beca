import {
  type AdapterEvents,
  type Conversation,
  type InboundMessage,
  type PlatformAdapter,
  PlatformError,
  type PluginSetup,
} from "@hermes/core";
import type { LoopbackEmulator } from "../../loopback-emulator.ts";
import type { LoopbackPlatform } from "../../loopback-platform.ts";
import type { RicherPlatform } from "./richer-platforms.ts";

/** A bug that the author of an adapter could write, and the proof that catches it. */
export interface PlantedBug {
  /** The bug, as a sentence without a full stop whose subject is the adapter. */
  readonly bug: string;
  /** The id of the proof that must catch it, and what that says. */
  readonly caughtBy: readonly [proof: string, says: RegExp];
  /** The platform for it, if the plain loopback platform lacks the feature that it concerns. */
  readonly on?: () => RicherPlatform;
  /** Plants the bug in the set-up instead of the adapter. */
  readonly spoil?: (setup: PluginSetup, at: () => LoopbackPlatform) => PluginSetup;
  /** Plants the bug in the emulator instead of the adapter. */
  readonly misplay?: (emulator: LoopbackEmulator) => void;
  plant(adapter: PlatformAdapter, at: LoopbackPlatform): void;
}

type Plant = PlantedBug["plant"];
type Receive = AdapterEvents["receive"];
type Replaceable =
  | "buildSessionKey"
  | "createHandoffThread"
  | "deleteMessage"
  | "deleteThread"
  | "edit"
  | "findSent"
  | "findThread"
  | "health"
  | "homeConversation"
  | "peopleAt"
  | "readNow"
  | "render"
  | "send"
  | "start"
  | "stop"
  | "typing";
type Method<Name extends Replaceable> = NonNullable<PlatformAdapter[Name]>;

/** Replaces one of the adapter's functions; the replacement may call the original. */
export function replacing<Name extends Replaceable>(
  name: Name,
  spoil: (real: Method<Name>, at: LoopbackPlatform) => Method<Name>,
): Plant {
  return (adapter, at) => {
    const real = adapter[name] as Method<Name> | undefined;
    Object.assign(adapter, { [name]: spoil(real?.bind(adapter) as Method<Name>, at) });
  };
}

/** Plants several bugs, or one that shows in several places. */
export function together(...plants: readonly Plant[]): Plant {
  return (adapter, at) => {
    for (const plant of plants) plant(adapter, at);
  };
}

/** Changes the callbacks that the adapter gets. */
export function startingWith(change: (events: AdapterEvents) => Partial<AdapterEvents>): Plant {
  return replacing("start", (start) => (events, signal) => start({ ...events, ...change(events) }, signal));
}

/** Wraps `receive` between the adapter and Hermes. */
export function onTheWayIn(spoil: (receive: Receive, at: LoopbackPlatform) => Receive): Plant {
  return (adapter, at) => startingWith(({ receive }) => ({ receive: spoil(receive, at) }))(adapter, at);
}

/** Changes each inbound message. */
export function changing(change: (message: InboundMessage) => InboundMessage): Plant {
  return onTheWayIn((receive) => (message) => receive(change(message)));
}

export function withoutThread({ threadId: _, ...at }: Conversation): Conversation {
  return at;
}

/** Replaces the error of each send that fails. */
export function failingWith(reason: (error: unknown) => Error): Plant {
  return replacing("send", (send) => (...args) => {
    return send(...args).catch((error: unknown) => {
      throw reason(error);
    });
  });
}

export function unavailable(reason: unknown): PlatformError {
  return new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: String(reason) });
}

/** Rewrites each text before it is rendered. */
export function rewriting(rewrite: (markdown: string) => string): Plant {
  return replacing("render", (render) => (message, root) => {
    return render({ ...message, markdown: rewrite(message.markdown) }, root);
  });
}

/** Removes one of the fittings for a richer platform from the adapter. */
export function asMade(name: "start" | "createHandoffThread" | "render"): Plant {
  return (adapter) => void Reflect.deleteProperty(adapter, name);
}
