import { type Call, objectIn, param, type Route, route, sessionOf } from "../call.ts";
import { stringIn } from "../homeserver.ts";
import { forbidden, notFound } from "../refusal.ts";
import { isObject } from "../wire.ts";

/** Users that can log in with a password. */
export type Passwords = ReadonlyMap<string, string>;

/** Logging in, and who one is ("Client authentication"). */
export function accountRoutes(passwords: Passwords, serverName: string): Route[] {
  const logIn = (call: Call) => {
    const body = objectIn(call);
    const name = stringIn(body.identifier, "user") ?? stringIn(body, "user") ?? "";
    const userId = name.startsWith("@") ? name : `@${name}:${serverName}`;
    if (body.type !== "m.login.password" || passwords.get(userId) !== body.password) {
      throw forbidden("Invalid username or password");
    }
    const deviceId = stringIn(body, "device_id") ?? `DEVICE${call.server.newDeviceNumber()}`;
    const { token } = call.server.signIn(userId, deviceId);
    return { user_id: userId, access_token: token, device_id: deviceId, home_server: serverName };
  };
  return [
    { method: "GET", path: /^\/_matrix\/client\/versions$/, name: "versions", answer: () => VERSIONS },
    route("GET", "/login", "login flows", () => ({ flows: [{ type: "m.login.password" }] })),
    route("POST", "/login", "login", logIn),
    route("POST", "/logout", "logout", (call) => {
      const { token, userId, deviceId } = sessionOf(call);
      call.server.sessions.delete(token);
      call.server.keys.remove(userId, deviceId);
      return {};
    }),
    route("GET", "/account/whoami", "whoami", (call) => {
      const { userId, deviceId } = sessionOf(call);
      return { user_id: userId, device_id: deviceId, is_guest: false };
    }),
    route("GET", "/pushrules/?", "pushrules", () => ({ global: {} })),
    route("GET", "/capabilities", "capabilities", () => ({ capabilities: {} })),
    route("POST", "/user/{}/filter", "filter", (call) => ({ filter_id: JSON.stringify(objectIn(call)) })),
    route("GET", "/user/{}/filter/{}", "filter", (call) => JSON.parse(param(call, 1)) as unknown),
    route("GET", "/user/{}/account_data/{}", "account data", () => {
      throw notFound("Account data not found");
    }),
    route("PUT", "/user/{}/account_data/{}", "account data", () => ({})),
    route("GET", "/profile/{}", "profile", (call) => ({ displayname: call.server.names.get(param(call, 0)) })),
    route("GET", "/profile/{}/displayname", "profile", (call) => ({
      displayname: call.server.names.get(param(call, 0)),
    })),
    route("GET", "/directory/room/{}", "room alias", (call) => {
      const roomId = call.server.aliases.get(param(call, 0));
      if (roomId === undefined) throw notFound(`Room alias ${param(call, 0)} not found`);
      return { room_id: roomId, servers: [serverName] };
    }),
  ];
}

const VERSIONS = {
  versions: ["v1.1", "v1.2", "v1.3", "v1.4", "v1.5", "v1.6", "v1.7", "v1.8", "v1.9", "v1.10", "v1.11", "v1.12"],
  unstable_features: {},
};

/** The filter that a sync names: by its id, which is the filter itself here, or as it stands. */
export function timelineLimit(filter: string | null): number {
  const parsed: unknown = filter === null ? {} : JSON.parse(filter);
  const room = isObject(parsed) && isObject(parsed.room) ? parsed.room : {};
  const limit = isObject(room.timeline) ? Number(room.timeline.limit ?? 10) : 10;
  return Math.min(Math.max(limit, 0), 100);
}
