import {
  type AdapterEvents,
  type Conversation,
  type InboundMessage,
  type PlatformAdapter,
  PlatformError,
  type PluginSetup,
} from "@hermes/core";
import type { LoopbackPlatform } from "../../loopback-platform.ts";
import type { RicherPlatform } from "./richer-platforms.ts";

/** A mistake that the author of an adapter could make, and the proof that catches it. */
export interface PlantedBug {
  /** The mistake, as a sentence without a full stop whose subject is the adapter. */
  readonly bug: string;
  /** The id of a proof. */
  readonly caughtBy: string;
  /** What the proof says against it. */
  readonly says: RegExp;
  /** The platform that it is planted on, where the loopback platform by itself has not what it is about. */
  readonly on?: () => RicherPlatform;
  /** Where it lies in the set-up rather than in the adapter. */
  readonly spoil?: (setup: PluginSetup, at: () => LoopbackPlatform) => PluginSetup;
  plant(adapter: PlatformAdapter, at: LoopbackPlatform): void;
}

type Plant = PlantedBug["plant"];
type Receive = AdapterEvents["receive"];
type Replaceable =
  | "buildSessionKey"
  | "createHandoffThread"
  | "deleteThread"
  | "edit"
  | "findSent"
  | "findThread"
  | "health"
  | "homeConversation"
  | "peopleAt"
  | "render"
  | "send"
  | "start"
  | "stop"
  | "typing";
type Method<Name extends Replaceable> = NonNullable<PlatformAdapter[Name]>;

/** Puts another function in the place of one of the adapter's, which that may call where the adapter has it. */
export function replacing<Name extends Replaceable>(
  name: Name,
  spoil: (real: Method<Name>, at: LoopbackPlatform) => Method<Name>,
): Plant {
  return (adapter, at) => {
    const real = adapter[name] as Method<Name> | undefined;
    Object.assign(adapter, { [name]: spoil(real?.bind(adapter) as Method<Name>, at) });
  };
}

/** Plants several mistakes, or one that shows in several places. */
export function together(...plants: readonly Plant[]): Plant {
  return (adapter, at) => {
    for (const plant of plants) plant(adapter, at);
  };
}

/** Changes what the adapter is given to call. */
export function startingWith(change: (events: AdapterEvents) => Partial<AdapterEvents>): Plant {
  return replacing("start", (start) => (events, signal) => start({ ...events, ...change(events) }, signal));
}

/** Puts something between the adapter and Hermes on the way in. */
export function onTheWayIn(spoil: (receive: Receive, at: LoopbackPlatform) => Receive): Plant {
  return (adapter, at) => startingWith(({ receive }) => ({ receive: spoil(receive, at) }))(adapter, at);
}

/** Changes each message on its way in. */
export function changing(change: (message: InboundMessage) => InboundMessage): Plant {
  return onTheWayIn((receive) => (message) => receive(change(message)));
}

export function withoutThread({ threadId: _, ...at }: Conversation): Conversation {
  return at;
}

/** Gives another reason for each send that fails. */
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

/** Renders another text in the place of each. */
export function rewriting(rewrite: (markdown: string) => string): Plant {
  return replacing("render", (render) => (message, root) => {
    return render({ ...message, markdown: rewrite(message.markdown) }, root);
  });
}

/** The adapter as it is by itself in one thing, whatever the platform has beside. */
export function asMade(name: "start" | "createHandoffThread" | "render"): Plant {
  return (adapter) => void Reflect.deleteProperty(adapter, name);
}
