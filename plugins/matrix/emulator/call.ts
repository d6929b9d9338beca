import type { RequestBody } from "@hermes/emulator";
import type { Homeserver, Session } from "./homeserver.ts";
import { badRequest, forbidden, unknownToken } from "./refusal.ts";
import type { RoomRecord } from "./room.ts";
import { type Content, isObject } from "./wire.ts";

/** A request on its way, with what its route has taken from it. */
export interface Call {
  readonly server: Homeserver;
  /** The parts of the path that the route names, decoded. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: RequestBody;
  readonly mediaType: string;
  /** Whose token came along; null without one. */
  readonly caller: Session | null;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Bytes, where an answer is no JSON. */
export class Download {
  readonly content: Buffer;
  readonly mediaType: string;

  constructor(content: Buffer, mediaType: string) {
    this.content = content;
    this.mediaType = mediaType;
  }
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Matched against the path; its groups become `params`. */
  readonly path: RegExp;
  /** The platform's own name of the call, for the log and for scripted failures. */
  readonly name: string;
  answer(call: Call): unknown;
}

/** A route below `/_matrix/client/v3`; each `{}` of `path` is a part that the route takes. */
export function route(method: Route["method"], path: string, name: string, answer: Route["answer"]): Route {
  const pattern = path.replaceAll("{}", "([^/]+)");
  return { method, path: new RegExp(`^/_matrix/client/(?:v3|r0)${pattern}$`), name, answer };
}

/** The part of the path at a place. */
export function param({ params }: Call, at: number): string {
  return params[at] ?? "";
}

export function sessionOf({ caller }: Call): Session {
  if (caller === null) throw unknownToken();
  return caller;
}

export function objectIn({ body }: Call): Content {
  if (body.value === null) return {};
  if (!isObject(body.value)) throw badRequest("Content must be a JSON object.", "M_BAD_JSON");
  return body.value;
}

/** A room that the caller is in. */
export function roomOf(call: Call): RoomRecord {
  const { userId } = sessionOf(call);
  const room = call.server.room(param(call, 0));
  if (room?.membership(userId) !== "join") throw forbidden(`User ${userId} not in room ${param(call, 0)}`);
  return room;
}

export function positionIn(token: string | null): number | null {
  if (token === null || token === "") return null;
  const position = Number(/^s(\d+)$/.exec(token)?.[1]);
  if (!Number.isSafeInteger(position)) throw badRequest(`Invalid token ${token}`, "M_INVALID_PARAM");
  return position;
}
