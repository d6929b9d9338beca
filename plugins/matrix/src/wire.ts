/** What stands before a path of the client-server API. */
export const CLIENT_API = "/_matrix/client/v3";

/** The parts of events and answers that Hermes reads; anything of it may be missing or of another kind. */
export interface MatrixEvent {
  readonly event_id: string;
  /** Missing in a sync, which sorts events by rooms. */
  readonly room_id?: string;
  readonly type: string;
  readonly sender: string;
  /** Milliseconds since 1970. */
  readonly origin_server_ts: number;
  readonly content: Content;
  readonly state_key?: string;
  readonly redacts?: string;
  readonly unsigned?: Content;
}

export type Content = Readonly<Record<string, unknown>>;

interface StrippedEvent {
  readonly type: string;
  readonly sender: string;
  readonly state_key?: string;
  readonly content: Content;
}

/** The answer to a sync ("GET /sync"). */
export interface SyncResponse {
  readonly next_batch: string;
  readonly rooms?: {
    readonly join?: Readonly<Record<string, JoinedRoom>>;
    readonly invite?: Readonly<
      Record<string, { readonly invite_state?: { readonly events?: readonly StrippedEvent[] } }>
    >;
    readonly leave?: Readonly<Record<string, unknown>>;
  };
  readonly to_device?: { readonly events?: readonly Content[] };
  readonly device_lists?: { readonly changed?: readonly string[]; readonly left?: readonly string[] };
  readonly device_one_time_keys_count?: Readonly<Record<string, number>>;
  readonly device_unused_fallback_key_types?: readonly string[];
}

export interface JoinedRoom {
  readonly timeline?: {
    readonly events?: readonly MatrixEvent[];
    readonly limited?: boolean;
    readonly prev_batch?: string;
  };
  readonly state?: { readonly events?: readonly MatrixEvent[] };
  readonly summary?: { readonly "m.joined_member_count"?: number; readonly "m.invited_member_count"?: number };
}

export interface Relation {
  readonly kind: string | undefined;
  readonly eventId: string | undefined;
  /** The event that this one answers, or is shown under by clients without threads. */
  readonly replyTo: string | undefined;
  /** Whether `replyTo` is only there for such clients. */
  readonly isFallingBack: boolean;
}

/** What an event says about another one. It stands in the open, also beside what is encrypted. */
export function relationOf(content: Content): Relation {
  const relation = objectOf(content["m.relates_to"]);
  return {
    kind: stringOf(relation.rel_type),
    eventId: stringOf(relation.event_id),
    replyTo: stringOf(objectOf(relation["m.in_reply_to"]).event_id),
    isFallingBack: relation.is_falling_back === true,
  };
}

/** The root of the thread that an event is in. */
export function threadOf(content: Content): string | undefined {
  const { kind, eventId } = relationOf(content);
  return kind === "m.thread" ? eventId : undefined;
}

export function isRedacted(event: MatrixEvent): boolean {
  return event.unsigned?.redacted_because !== undefined;
}

export function objectOf(value: unknown): Content {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Content) : {};
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
