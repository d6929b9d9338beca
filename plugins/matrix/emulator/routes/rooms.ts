import { type Call, objectIn, param, positionIn, type Route, roomOf, route, sessionOf } from "../call.ts";
import { stringIn } from "../homeserver.ts";
import { forbidden, notFound } from "../refusal.ts";
import type { Entry, RoomRecord } from "../room.ts";
import { serialise } from "../serialise.ts";
import { type Content, isObject } from "../wire.ts";

/** What is in rooms, and who ("Rooms"). */
export function roomRoutes(): Route[] {
  return [
    route("PUT", "/rooms/{}/send/{}/{}", "send", (call) => ({
      event_id: call.server.send(sessionOf(call), param(call, 0), param(call, 1), param(call, 2), objectIn(call)),
    })),
    route("PUT", "/rooms/{}/redact/{}/{}", "redact", (call) => ({
      event_id: call.server.redact(sessionOf(call), param(call, 0), param(call, 1)),
    })),
    route("PUT", "/rooms/{}/typing/{}", "typing", (call) => {
      call.server.setTyping(roomOf(call).id, param(call, 1), objectIn(call).typing === true);
      return {};
    }),
    route("POST", "/rooms/{}/receipt/{}/{}", "receipt", () => ({})),
    route("POST", "/rooms/{}/read_markers", "receipt", () => ({})),
    route("GET", "/rooms/{}/event/{}", "event", (call) => {
      const room = roomOf(call);
      const entry = room.entry(param(call, 1));
      if (entry === undefined) throw notFound("Event not found.");
      return serialise(room, entry, sessionOf(call));
    }),
    route("GET", "/rooms/{}/messages", "messages", messages),
    route("GET", "/rooms/{}/state", "all_state", (call) => roomOf(call).stateAt()),
    route("GET", "/rooms/{}/state/{}/?", "state", (call) => stateOf(call, "")),
    route("GET", "/rooms/{}/state/{}/{}", "state", (call) => stateOf(call, param(call, 2))),
    route("GET", "/rooms/{}/members", "members", (call) => ({
      chunk: roomOf(call)
        .stateAt()
        .filter(({ type, content }) => {
          return type === "m.room.member" && content.membership !== call.query.get("not_membership");
        }),
    })),
    route("GET", "/rooms/{}/joined_members", "joined_members", (call) => ({
      joined: Object.fromEntries(
        roomOf(call)
          .members("join")
          .map((id) => [id, { display_name: call.server.names.get(id) ?? null }]),
      ),
    })),
    SUMMARY,
    relationsRoute("/rooms/{}/relations/{}"),
    relationsRoute("/rooms/{}/relations/{}/{}"),
    relationsRoute("/rooms/{}/relations/{}/{}/{}"),
    route("POST", "/rooms/{}/join", "join", join),
    route("POST", "/join/{}", "join", join),
    route("POST", "/rooms/{}/leave", "leave", (call) => {
      const { userId } = sessionOf(call);
      const room = call.server.room(param(call, 0));
      if (room) call.server.setMembership(room, userId, "leave");
      return {};
    }),
  ];
}

/** What a room is like to who is in it, invited, or may come in ("Room summary"). */
const SUMMARY: Route = {
  method: "GET",
  path: /^\/_matrix\/client\/v1\/room_summary\/([^/]+)$/,
  name: "room_summary",
  answer(call) {
    const { userId } = sessionOf(call);
    const room = call.server.room(param(call, 0));
    const membership = room?.membership(userId);
    if (room === undefined || (membership !== "join" && !mayJoin(room, userId))) throw notFound("Room not found");
    const count = room.members("join").length;
    return { room_id: room.id, name: room.name, num_joined_members: count, membership: membership ?? "leave" };
  },
};

/** Relations are paged below `/v1` ("Relationships API"). */
function relationsRoute(path: string): Route {
  const {
    method,
    name,
    answer,
    path: pattern,
  } = route("GET", path, "relations", (call) => {
    const room = roomOf(call);
    const found = room.relations(param(call, 1), call.params[2]).filter((entry) => !room.isRedacted(entry));
    return { chunk: found.toReversed().map((entry) => serialise(room, entry, sessionOf(call))) };
  });
  return { method, name, answer, path: new RegExp(pattern.source.replace("(?:v3|r0)", "(?:v1|v3)")) };
}

function stateOf(call: Call, stateKey: string): Content {
  const event = roomOf(call).state(param(call, 1), stateKey);
  if (event === undefined) throw notFound("Event not found.");
  return event.content;
}

/** Pages through a room ("GET /rooms/{roomId}/messages"): positions are ends between events. */
function messages(call: Call): Content {
  const room = roomOf(call);
  const { query, server } = call;
  const isBackwards = query.get("dir") === "b";
  const from = positionIn(query.get("from")) ?? (isBackwards ? server.position : 0);
  const to = positionIn(query.get("to")) ?? (isBackwards ? 0 : server.position);
  const limit = Math.min(Number(query.get("limit") ?? 10), 100);
  const isWithin = ({ position }: Entry) =>
    isBackwards ? position <= from && position > to : position > from && position <= to;
  const found = room.entries.filter((entry) => isWithin(entry) && isWanted(entry, query.get("filter")));
  const ordered = isBackwards ? found.toReversed() : found;
  const chunk = ordered.slice(0, limit);
  const last = chunk.at(-1);
  const isMore = last !== undefined && chunk.length < ordered.length;
  return {
    start: `s${from}`,
    chunk: chunk.map((entry) => serialise(room, entry, sessionOf(call))),
    ...(isMore ? { end: `s${isBackwards ? last.position - 1 : last.position}` } : {}),
  };
}

function isWanted({ event }: Entry, filter: string | null): boolean {
  if (filter === null) return true;
  const { senders, types } = JSON.parse(filter) as { senders?: readonly string[]; types?: readonly string[] };
  return (senders?.includes(event.sender) ?? true) && (types?.includes(event.type) ?? true);
}

function join(call: Call): Content {
  const { server } = call;
  const { userId } = sessionOf(call);
  const roomId = server.aliases.get(param(call, 0)) ?? param(call, 0);
  const room = server.room(roomId);
  if (room === undefined) throw notFound("No known servers");
  if (room.membership(userId) !== "join") {
    if (!mayJoin(room, userId)) throw forbidden("You are not invited to this room.");
    server.setMembership(room, userId, "join");
  }
  return { room_id: roomId };
}

function mayJoin(room: RoomRecord, userId: string): boolean {
  const rule = stringIn(room.state("m.room.join_rules")?.content, "join_rule") ?? "invite";
  return rule === "public" || room.membership(userId) === "invite";
}

/** What a send is in Hermes' words, for scripted failures. */
export function operationOf({ params, body }: Call): "send" | "edit" | "createThread" {
  const content = isObject(body.value) ? body.value : {};
  const relation = isObject(content["m.relates_to"]) ? content["m.relates_to"] : {};
  if (relation.rel_type === "m.replace") return "edit";
  return params[2]?.startsWith("hermes-thread-") ? "createThread" : "send";
}
