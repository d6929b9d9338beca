import type { Homeserver, Session } from "./homeserver.ts";
import type { Entry, RoomRecord } from "./room.ts";
import { serialise } from "./serialise.ts";
import type { Content, WireEvent } from "./wire.ts";

export interface SyncRequest {
  readonly session: Session;
  /** The position up to which the device has everything; null at the first sync. */
  readonly since: number | null;
  /** The most events of a room in one answer. */
  readonly limit: number;
}

/** State that somebody who is invited gets to see ("Stripped state"). */
const STRIPPED = new Set(["m.room.create", "m.room.name", "m.room.avatar", "m.room.join_rules", "m.room.encryption"]);

/** The answer to a sync, and whether there is anything in it. */
export function buildSync(
  server: Homeserver,
  request: SyncRequest,
): { readonly body: Content; readonly isEmpty: boolean } {
  const { session, since } = request;
  const joined: Record<string, Content> = {};
  const invited: Record<string, Content> = {};
  const left: Record<string, Content> = {};
  for (const room of server.rooms.values()) {
    const membership = room.membership(session.userId);
    if (membership === "join") {
      const part = joinedRoom(server, room, request);
      if (part !== null) joined[room.id] = part;
    } else if (hasChanged(room, session.userId, since)) {
      if (membership === "invite") invited[room.id] = { invite_state: { events: strippedState(room, session.userId) } };
      if ((membership === "leave" || membership === "ban") && since !== null) left[room.id] = leftRoom(room, request);
    }
  }
  const toDevice = server.takeToDevice(session, since ?? 0);
  const changed = since === null ? [] : server.devicesChangedSince(session.userId, since);
  const parts = [joined, invited, left].map((part) => Object.keys(part).length);
  return {
    isEmpty: parts.every((count) => count === 0) && toDevice.length === 0 && changed.length === 0,
    body: {
      next_batch: `s${server.position}`,
      rooms: { join: joined, invite: invited, leave: left },
      to_device: { events: toDevice },
      device_lists: { changed, left: [] },
      device_one_time_keys_count: server.keys.counts(session.userId, session.deviceId),
      device_unused_fallback_key_types: server.keys.unusedFallback(session.userId, session.deviceId),
      account_data: { events: [] },
      presence: { events: [] },
    },
  };
}

function joinedRoom(server: Homeserver, room: RoomRecord, { session, since, limit }: SyncRequest): Content | null {
  const isNew = since === null || hasChanged(room, session.userId, since, "join");
  const fresh = room.entries.filter(({ position }) => isNew || position > since);
  if (fresh.length === 0) return null;
  const shown = limit === 0 ? [] : fresh.slice(-limit);
  const first = shown[0];
  const start = first === undefined ? server.position : first.position - 1;
  const isLimited = shown.length < fresh.length;
  const before = isNew ? room.stateAt(start) : room.stateAt(start).filter((event) => isSince(room, event, since));
  return {
    timeline: {
      events: shown.map((entry) => serialise(room, entry, session)),
      limited: isLimited,
      prev_batch: `s${start}`,
    },
    state: { events: before },
    summary: {
      "m.heroes": room
        .members("join", "invite")
        .filter((id) => id !== session.userId)
        .slice(0, 5),
      "m.joined_member_count": room.members("join").length,
      "m.invited_member_count": room.members("invite").length,
    },
    ephemeral: { events: [] },
    account_data: { events: [] },
    unread_notifications: { highlight_count: 0, notification_count: 0 },
  };
}

function leftRoom(room: RoomRecord, { session, since }: SyncRequest): Content {
  const fresh = room.entries.filter(({ position }) => position > (since ?? 0));
  const end = fresh.findLastIndex(({ event }) => event.type === "m.room.member" && event.state_key === session.userId);
  const events = fresh.slice(0, end + 1).map((entry) => serialise(room, entry, session));
  return { timeline: { events, limited: false, prev_batch: `s${since ?? 0}` }, state: { events: [] } };
}

/** Whether a user's membership has become what it is since a position. */
function hasChanged(room: RoomRecord, userId: string, since: number | null, became?: string): boolean {
  if (since === null) return true;
  const isOf = ({ event }: Entry) => event.type === "m.room.member" && event.state_key === userId;
  const changes = room.entries.filter((entry) => isOf(entry) && entry.position > since);
  if (became === undefined) return changes.length > 0;
  const before = room.entries.findLast((entry) => isOf(entry) && entry.position <= since);
  return changes.length > 0 && before?.event.content.membership !== became;
}

function isSince(room: RoomRecord, event: WireEvent, since: number | null): boolean {
  return (room.entry(event.event_id)?.position ?? 0) > (since ?? 0);
}

function strippedState(room: RoomRecord, userId: string): Content[] {
  return room
    .stateAt()
    .filter(({ type, state_key: key }) => STRIPPED.has(type) || (type === "m.room.member" && key === userId))
    .map(({ type, content, sender, state_key: key }) => ({ type, content, sender, state_key: key }));
}
