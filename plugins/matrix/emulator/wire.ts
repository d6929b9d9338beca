/** An event as clients see it ("Room event format"). */
export interface WireEvent {
  readonly event_id: string;
  readonly room_id: string;
  readonly type: string;
  readonly sender: string;
  /** Milliseconds since 1970. */
  readonly origin_server_ts: number;
  readonly content: Content;
  readonly state_key?: string;
  readonly redacts?: string;
  readonly unsigned?: Readonly<Record<string, unknown>>;
}

export type Content = Readonly<Record<string, unknown>>;

/** What an event says about another one ("Relationship types"). */
export interface Relation {
  readonly rel_type?: string;
  readonly event_id?: string;
  readonly is_falling_back?: boolean;
  readonly "m.in_reply_to"?: { readonly event_id: string };
}

export function relationOf(content: Content): Relation {
  const relation = content["m.relates_to"];
  return typeof relation === "object" && relation !== null ? relation : {};
}

/** The thread that an event stands in. */
export function threadOf(content: Content): string | undefined {
  const { rel_type: kind, event_id: id } = relationOf(content);
  return kind === "m.thread" ? id : undefined;
}

/** The event that an event replaces. */
export function replacedBy(content: Content): string | undefined {
  const { rel_type: kind, event_id: id } = relationOf(content);
  return kind === "m.replace" ? id : undefined;
}

export function isObject(value: unknown): value is Content {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
