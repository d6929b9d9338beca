import { type Call, objectIn, param, type Route, route, sessionOf } from "../call.ts";
import { KeyExists } from "../device-keys.ts";
import { badRequest, notFound } from "../refusal.ts";
import { type Content, isObject } from "../wire.ts";

/** Keys and messages between devices ("End-to-end encryption", "Send-to-Device messaging"). */
export function encryptionRoutes(): Route[] {
  const none = (what: string) => () => {
    throw notFound(what);
  };
  return [
    route("POST", "/keys/upload", "keys/upload", (call) => {
      const { userId, deviceId } = sessionOf(call);
      try {
        return call.server.keys.upload(userId, deviceId, objectIn(call));
      } catch (error) {
        if (error instanceof KeyExists) throw badRequest(error.message);
        throw error;
      }
    }),
    route("POST", "/keys/query", "keys/query", (call) => {
      const { device_keys: users } = objectIn(call);
      return call.server.keys.query(Object.keys(isObject(users) ? users : {}));
    }),
    route("POST", "/keys/claim", "keys/claim", (call) => {
      const { one_time_keys: wanted } = objectIn(call);
      return call.server.keys.claim(isObject(wanted) ? wanted : {});
    }),
    route("GET", "/keys/changes", "keys/changes", () => ({ changed: [], left: [] })),
    route("POST", "/keys/device_signing/upload", "keys/device_signing/upload", (call) => {
      call.server.keys.setCrossSigning(sessionOf(call).userId, objectIn(call));
      return {};
    }),
    route("POST", "/keys/signatures/upload", "keys/signatures/upload", (call) => {
      call.server.keys.addSignatures(objectIn(call));
      return { failures: {} };
    }),
    route("PUT", "/sendToDevice/{}/{}", "sendToDevice", sendToDevice),
    route("GET", "/room_keys/version", "room_keys/version", none("No backup found")),
    route("GET", "/room_keys/keys/{}/{}", "room_keys/keys", none("No backup found")),
  ];
}

function sendToDevice(call: Call): Content {
  const { userId: sender } = sessionOf(call);
  const { messages } = objectIn(call);
  for (const [userId, devices] of Object.entries(isObject(messages) ? messages : {})) {
    for (const [deviceId, content] of Object.entries(isObject(devices) ? devices : {})) {
      const event = { type: param(call, 0), sender, content };
      if (deviceId !== "*") call.server.queueToDevice(userId, deviceId, event);
      else for (const known of devicesOf(call, userId)) call.server.queueToDevice(userId, known, event);
    }
  }
  return {};
}

function devicesOf({ server }: Call, userId: string): string[] {
  return [...server.sessions.values()].filter((one) => one.userId === userId).map(({ deviceId }) => deviceId);
}
