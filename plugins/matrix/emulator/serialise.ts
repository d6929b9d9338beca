import type { Session } from "./homeserver.ts";
import type { Entry, RoomRecord } from "./room.ts";
import type { WireEvent } from "./wire.ts";

/** An event as a device gets to see it: with the transaction id where it sent it, and with what relates to it. */
export function serialise(room: RoomRecord, entry: Entry, session: Session): WireEvent {
  const { event, device, txnId } = entry;
  const isOwn = event.sender === session.userId && device === session.deviceId && txnId !== undefined;
  const relations = room.isRedacted(entry) ? {} : relationsOf(room, entry, session);
  return {
    ...event,
    unsigned: {
      ...event.unsigned,
      age: Math.max(0, room.clock.now() - event.origin_server_ts),
      ...(isOwn ? { transaction_id: txnId } : {}),
      ...(Object.keys(relations).length > 0 ? { "m.relations": relations } : {}),
    },
  };
}

/** "Aggregations of child events": the thread, and the latest replacement by the same sender. */
function relationsOf(room: RoomRecord, { event }: Entry, session: Session): Record<string, unknown> {
  const isThere = (entry: Entry) => !room.isRedacted(entry);
  const inThread = room.relations(event.event_id, "m.thread").filter(isThere);
  const latest = inThread.at(-1);
  const edit = room
    .relations(event.event_id, "m.replace")
    .filter(isThere)
    .findLast((one) => one.event.sender === event.sender);
  return {
    ...(latest === undefined
      ? {}
      : {
          "m.thread": {
            latest_event: latest.event,
            count: inThread.length,
            current_user_participated: inThread.some(({ event: { sender } }) => sender === session.userId),
          },
        }),
    ...(edit === undefined ? {} : { "m.replace": edit.event }),
  };
}
