import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADA, BOT, type MatrixEmulator, ROOMS, startMatrixEmulator } from "./index.ts";

let emulator: MatrixEmulator;
beforeEach(async () => {
  emulator = await startMatrixEmulator();
});
afterEach(() => emulator.close());

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  token = emulator.options.accessToken,
): Promise<Answer> {
  const response = await fetch(`${emulator.url}/_matrix/client/v3${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const text = { msgtype: "m.text", body: "Hello" };
const send = (roomId: string, txnId: string, content: unknown = text) =>
  call("PUT", `/rooms/${encodeURIComponent(roomId)}/send/m.room.message/${txnId}`, content);

describe("the emulated homeserver refuses in Synapse's words", () => {
  it("refuses a wrong token", async () => {
    expect(await call("GET", "/account/whoami", undefined, "wrong")).toMatchObject({
      status: 401,
      body: { errcode: "M_UNKNOWN_TOKEN" },
    });
  });

  it("a room that one is not in", async () => {
    emulator.createRoom({ id: "!other:emulated.test" });
    expect(await send("!other:emulated.test", "1")).toMatchObject({
      status: 403,
      body: { errcode: "M_FORBIDDEN", error: expect.stringContaining("not in room") },
    });
  });

  it("an event that is too large", async () => {
    const answer = await send(ROOMS.direct, "1", { ...text, body: "x".repeat(66_000) });
    expect(answer).toMatchObject({ status: 413, body: { errcode: "M_TOO_LARGE" } });
  });

  it("the homeserver refuses a relation to nothing, and a thread within a thread", async () => {
    const inThread = (id: unknown) => ({ ...text, "m.relates_to": { rel_type: "m.thread", event_id: id } });
    expect((await send(ROOMS.direct, "1", inThread("$nothing"))).body.error).toBe(
      "Can't send relation to unknown event",
    );
    const root = (await send(ROOMS.direct, "2")).body.event_id;
    const reply = (await send(ROOMS.direct, "3", inThread(root))).body.event_id;
    expect((await send(ROOMS.direct, "4", inThread(reply))).body.error).toBe(
      "Cannot start threads from an event with a relation",
    );
  });

  it("the homeserver refuses a message without the power to write", async () => {
    emulator.setMayWrite(ROOMS.group, false);
    expect(await send(ROOMS.group, "1")).toMatchObject({ status: 403, body: { errcode: "M_FORBIDDEN" } });
  });

  it("the homeserver refuses another set of keys for a device that has some", async () => {
    await call("POST", "/keys/upload", { one_time_keys: { "signed_curve25519:A": { key: "one" } } });
    const again = await call("POST", "/keys/upload", { one_time_keys: { "signed_curve25519:A": { key: "two" } } });
    expect(again).toMatchObject({ status: 400, body: { error: expect.stringContaining("already exists") } });
  });

  it("the homeserver refuses a call that it does not know", async () => {
    expect(await call("GET", "/nothing")).toMatchObject({ status: 404, body: { errcode: "M_UNRECOGNIZED" } });
  });
});

describe("the emulated homeserver", () => {
  it("makes one event of a transaction, and tells its id to the sender alone", async () => {
    const first = await send(ROOMS.direct, "once");
    expect(await send(ROOMS.direct, "once")).toEqual(first);
    expect(emulator.messages(ROOMS.direct)).toHaveLength(1);
    const path = `/rooms/${encodeURIComponent(ROOMS.direct)}/event/${encodeURIComponent(String(first.body.event_id))}`;
    expect((await call("GET", path)).body.unsigned).toMatchObject({ transaction_id: "once" });
    const ada = emulator.server.signIn(ADA, "ADA");
    expect((await call("GET", path, undefined, ada.token)).body.unsigned).not.toHaveProperty("transaction_id");
  });

  it("never reuses an event id of an earlier run", async () => {
    await using again = await startMatrixEmulator();
    const write = (to: MatrixEmulator) => to.receive({ chatId: ROOMS.direct, text: "Hello" });
    expect((await write(again)).messageId).not.toBe((await write(emulator)).messageId);
  });

  it("the homeserver gives a one-time key once, then the fallback key", async () => {
    await call("POST", "/keys/upload", {
      one_time_keys: { "signed_curve25519:A": { key: "one" } },
      fallback_keys: { "signed_curve25519:F": { key: "fallback" } },
    });
    const wanted = { one_time_keys: { [BOT.userId]: { HERMESGATEWAY: "signed_curve25519" } } };
    const claim = async () => (await call("POST", "/keys/claim", wanted)).body.one_time_keys;
    const of = (id: string, key: string) => ({ [BOT.userId]: { HERMESGATEWAY: { [id]: { key } } } });
    expect(await claim()).toEqual(of("signed_curve25519:A", "one"));
    expect(await claim()).toEqual(of("signed_curve25519:F", "fallback"));
    expect(await claim()).toEqual(of("signed_curve25519:F", "fallback"));
  });

  it("keeps tokens and passwords out of its log", async () => {
    await call("POST", "/login", {
      type: "m.login.password",
      identifier: { type: "m.id.user", user: BOT.userId },
      password: BOT.password,
    });
    expect(emulator.log.map(({ method }) => method)).toEqual(["login"]);
    const log = JSON.stringify(emulator.log);
    expect(log).not.toContain(BOT.password);
    expect(log).not.toContain(emulator.options.accessToken);
  });

  it("shows what people wrote in an encrypted room, as they read it", async () => {
    await emulator.receive({ chatId: ROOMS.encryptedDirect, text: "Among us." });
    const [message] = emulator.messages(ROOMS.encryptedDirect);
    expect(message).toMatchObject({ author: ADA, text: "Among us.", raw: { type: "m.room.encrypted" } });
  });

  it("the homeserver refuses to script a redelivery of a send", () => {
    expect(() => emulator.fail({ operation: "send", kind: { is: "redeliver" } })).toThrow("cannot happen to send");
  });
});
