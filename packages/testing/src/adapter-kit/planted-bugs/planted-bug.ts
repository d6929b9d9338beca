import type { AdapterEvents, Conversation, InboundMessage, PlatformAdapter } from "@hermes/core";
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
  plant(adapter: PlatformAdapter, at: LoopbackPlatform): void;
}

export type Receive = AdapterEvents["receive"];
export type Send = PlatformAdapter["send"];

/** Puts something between the adapter and Hermes on the way in. */
export function onTheWayIn(adapter: PlatformAdapter, spoil: (receive: Receive) => Receive): void {
  const start = adapter.start.bind(adapter);
  adapter.start = (events, signal) =>
    start({ ...events, receive: spoil((message) => events.receive(message)) }, signal);
}

/** Changes each message on its way in. */
export function changing(change: (message: InboundMessage) => InboundMessage): PlantedBug["plant"] {
  return (adapter) => onTheWayIn(adapter, (receive) => (message) => receive(change(message)));
}

export function withoutThread({ threadId: _, ...at }: Conversation): Conversation {
  return at;
}

/** Puts something between the gateway and `send`. */
export function sendingBy(spoil: (send: Send) => Send): PlantedBug["plant"] {
  return (adapter) => {
    adapter.send = spoil(adapter.send.bind(adapter));
  };
}

/** Renders another text in the place of each. */
export function rewriting(rewrite: (markdown: string) => string): PlantedBug["plant"] {
  return (adapter) => {
    const render = adapter.render.bind(adapter);
    adapter.render = (message, root) => render({ ...message, markdown: rewrite(message.markdown) }, root);
  };
}

/** The adapter as it is by itself in one thing, whatever the platform has beside. */
export function asMade(name: "start" | "createHandoffThread" | "render"): PlantedBug["plant"] {
  return (adapter) => void Reflect.deleteProperty(adapter, name);
}
