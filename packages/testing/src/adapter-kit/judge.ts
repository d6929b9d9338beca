import type { Emulator } from "@hermes/emulator";

/**
 * A second judge of an emulator, so that an adapter is not proved only against its author's own idea of the platform:
 * what the platform was recorded to answer, or another client library.
 */
export interface KitJudge<E extends Emulator = Emulator> {
  /** Where its word comes from: an address, a day, the name of a library. */
  readonly source: string;
  /** Recorded calls of the platform, which are made to the emulator too. */
  readonly exchanges?: readonly RecordedExchange<E>[];
  /** Uses the emulator by other means; throws if it does not behave as the platform. */
  judge?(emulator: E): Promise<void>;
}

/** A call that was made to the real platform, and its answer. Only the shape of the answer is compared. */
export interface RecordedExchange<E extends Emulator = Emulator> {
  /** A name for people: `a message is sent into a topic`. */
  readonly name: string;
  /** Brings a new emulator to where the platform was. */
  prepare?(emulator: E): void | Promise<void>;
  /** The call, at the emulator's address and with its credentials. */
  request(emulator: E): RecordedRequest;
  readonly response: { readonly status: number; readonly body: unknown };
  /** Fields of the answer that the platform leaves out at times, as in `result[].from.username`. */
  readonly optional?: readonly string[];
}

/** A request to the platform, as it was recorded. */
export interface RecordedRequest {
  readonly url: string;
  /** `GET` by default, and `POST` with a body. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}
