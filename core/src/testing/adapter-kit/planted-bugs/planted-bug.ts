import type { AdapterEvents, PlatformAdapter } from "../../../platform/adapter.ts";
import type { Conversation } from "../../../platform/conversation.ts";
import type { InboundMessage } from "../../../platform/message.ts";
import type { LoopbackPlatform } from "../../loopback-platform.ts";

/** A mistake that the author of an adapter could make, and the proof that catches it. */
export interface PlantedBug {
  /** The mistake, as a sentence without a full stop whose subject is the adapter. */
  readonly bug: string;
  /** The id of a proof. */
  readonly caughtBy: string;
  /** What the proof says against it. */
  readonly says: RegExp;
  plant(adapter: PlatformAdapter, at: LoopbackPlatform): void;
}

export type Receive = AdapterEvents["receive"];

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
