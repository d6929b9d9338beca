import type { SessionKey } from "../adapter/session-key.ts";
import type { IdentityScope } from "../model/identity.ts";
import type { ConfigPlace, KnownPlace, NotedPlace } from "../model/known-place.ts";

/** Stores the conversations that Hermes has talked in, and those that the config names, by what people call them. */
export interface PlaceStore {
  /** Notes that a conversation was used. Null names and people, and a `shared` that is left out, leave what is known. */
  note(place: NotedPlace): Promise<void>;
  /** Replaces what the config names on an account. What it names no longer stays as a place that was heard of. */
  configured(scope: IdentityScope, places: readonly ConfigPlace[]): Promise<void>;
  get(key: SessionKey): Promise<KnownPlace | null>;
  /** The most recently heard first. */
  list(): Promise<KnownPlace[]>;
}
