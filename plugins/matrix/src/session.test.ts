import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BOT, ROOMS, startMatrixEmulator } from "../emulator/index.ts";
import { type RunningMatrix, sendOptions, startMatrix } from "../test/running-matrix.ts";

const WITH_PASSWORD = { accessToken: undefined, user: BOT.userId, password: BOT.password };

let matrix: RunningMatrix;
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

async function hears(text: string): Promise<void> {
  await matrix.emulator.receive({ chatId: ROOMS.encryptedDirect, text });
  await expect.poll(() => matrix.received.at(-1)?.text).toBe(text);
}

describe("a token of another session than before", () => {
  const signIn = (userId: string, deviceId: string) => matrix.emulator.server.signIn(userId, deviceId).token;

  it("a new session of the same account goes on from there, with its own keys", async () => {
    matrix = await startMatrix();
    await hears("one");
    await matrix.stop();
    await matrix.emulator.receive({ chatId: ROOMS.direct, text: "meanwhile" });
    await matrix.restart({ accessToken: signIn(BOT.userId, "ANOTHER") });
    await expect.poll(() => matrix.received.at(-1)?.text).toBe("meanwhile");
    await hears("two");
  });

  it("a session of another account takes over nothing of the old one", async () => {
    matrix = await startMatrix();
    await hears("one");
    const { emulator } = matrix;
    const other = "@other:emulated.test";
    emulator.createRoom({ id: "!other:emulated.test", members: [other] });
    await emulator.receive({ chatId: "!other:emulated.test", text: "Old." });
    await matrix.restart({ accessToken: signIn(other, "OTHER") });
    await emulator.receive({ chatId: "!other:emulated.test", text: "New." });
    await expect.poll(() => matrix.received.map(({ text }) => text)).toEqual(["one", "New."]);
  });
});

describe("a server that was set up anew", () => {
  it("encrypted rooms work on a server that was set up anew", async () => {
    matrix = await startMatrix();
    await hears("one");
    await using fresh = await startMatrixEmulator();
    await matrix.restart(fresh.options);
    await fresh.receive({ chatId: ROOMS.encryptedDirect, text: "two" });
    await expect.poll(() => matrix.received.at(-1)?.text).toBe("two");
    const at = await matrix.adapter.homeConversation({ chatId: ROOMS.encryptedDirect });
    await matrix.adapter.send(at, { text: "three" }, sendOptions());
    expect(fresh.messages(ROOMS.encryptedDirect).map(({ text }) => text)).toEqual(["two", "three"]);
    await matrix.stop();
  });

  it("a change of session is noticed while running, before unusable keys are uploaded", async () => {
    matrix = await startMatrix();
    await hears("one");
    const port = Number(new URL(matrix.emulator.url).port);
    // What the close cuts is a sync: the next one is answered at once, where another one is held back for half a minute.
    await matrix.until(() => matrix.emulator.isConnected);
    await matrix.emulator.close();
    await using fresh = await startMatrixEmulator({ port });
    await expect
      .poll(async () => {
        await matrix.clock.advance(1_000);
        return matrix.failures.map(String).join();
      })
      .toContain("lost the bot's keys");
    await matrix.restart();
    await fresh.receive({ chatId: ROOMS.encryptedDirect, text: "two" });
    await expect.poll(() => matrix.received.at(-1)?.text).toBe("two");
    await matrix.stop();
  });
});

/** What everybody knows the bot's account by. */
function identityKeys(): unknown {
  return matrix.emulator.server.keys.query([BOT.userId]).master_keys;
}

describe("an account with a password", () => {
  it("a password logs in once; its session and keys survive a restart", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    expect(matrix.calls("login")).toMatchObject([{ initial_device_display_name: "Hermes" }]);
    await hears("one");
    await matrix.restart();
    await hears("two");
    expect(matrix.calls("login")).toHaveLength(1);
  });

  it("the token of its session is a known secret from the login on", async () => {
    const noted = new Set<string>();
    const given = new Set<string>();
    const tokens = () => [...matrix.emulator.server.sessions.keys()];
    matrix = await startMatrix(
      WITH_PASSWORD,
      ({ server }) => {
        for (const token of server.sessions.keys()) given.add(token);
      },
      (secret) => noted.add(secret),
    );
    const [token = ""] = tokens().filter((one) => !given.has(one));
    expect([...noted]).toContain(token);
    noted.clear();
    await matrix.restart();
    expect([...noted]).toContain(token);
  });

  it("logs in anew after somebody ended its session, and goes on from where it was", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    await hears("one");
    await matrix.stop();
    matrix.emulator.signOutBot();
    await matrix.emulator.receive({ chatId: ROOMS.direct, text: "meanwhile" });
    await matrix.restart();
    await expect.poll(() => matrix.received.at(-1)?.text).toBe("meanwhile");
    expect(matrix.calls("login")).toHaveLength(2);
    await hears("two");
  });

  it("renews an expired token for the same session, and keeps its keys", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    await hears("one");
    const devices = matrix.emulator.server.keys.query([BOT.userId]);
    matrix.emulator.expireBotToken();
    await hears("two");
    expect(matrix.emulator.server.keys.query([BOT.userId])).toEqual(devices);
    expect(matrix.failures).toEqual([]);
  });

  it("a signed-out bot logs in again while the gateway runs", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    await hears("one");
    matrix.emulator.signOutBot();
    await matrix.emulator.receive({ chatId: ROOMS.direct, text: "meanwhile" });
    await expect.poll(() => matrix.received.at(-1)?.text).toBe("meanwhile");
    expect(matrix.calls("login")).toHaveLength(2);
    expect(matrix.failures).toEqual([]);
    // What is encrypted before others know the new device cannot be read by it.
    await hears("two");
  });

  it("signs its new session as it signed the one that was ended", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    const identity = identityKeys();
    matrix.emulator.signOutBot();
    await expect.poll(() => matrix.calls("login").length).toBe(2);
    await expect.poll(() => matrix.adapter.health().state).toBe("up");
    const { device_keys: devices } = matrix.emulator.server.keys.query([BOT.userId]) as {
      device_keys: Record<string, Record<string, { signatures: Record<string, object> }>>;
    };
    const [device, ...others] = Object.values(devices[BOT.userId] ?? {});
    expect(others).toEqual([]);
    expect(Object.keys(device?.signatures[BOT.userId] ?? {})).toHaveLength(2);
    expect(identityKeys()).toEqual(identity);
  });

  it("sends what found its session ended by the next one, without waiting for a sync", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    const at = await matrix.adapter.homeConversation({ chatId: ROOMS.encryptedDirect });
    // The server holds the sync back, and says only to whoever asks for something else that the session has ended.
    matrix.emulator.fail({ operation: "send", kind: { is: "refuse", code: "M_UNKNOWN_TOKEN" } });
    const first = matrix.adapter.send(at, { text: "one" }, sendOptions());
    await expect(first).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE", retryable: true });
    await expect.poll(() => matrix.adapter.health().state).toBe("up");
    await matrix.adapter.send(at, { text: "one" }, sendOptions());
    expect(matrix.emulator.messages(ROOMS.encryptedDirect).map(({ text }) => text)).toEqual(["one"]);
  });

  it("leaves the retry to the host when its sessions end as soon as they are opened", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    matrix.emulator.signOutBot();
    await expect.poll(() => matrix.calls("login").length).toBe(2);
    await expect.poll(() => matrix.adapter.health().state).toBe("up");
    matrix.emulator.signOutBot();
    await expect.poll(() => matrix.failures).toMatchObject([{ code: "PLATFORM_UNAUTHORISED" }]);
    expect(matrix.calls("login")).toHaveLength(2);
  });

  it("goes on by its password when the token beside it is taken no more", async () => {
    matrix = await startMatrix({ user: BOT.userId, password: BOT.password });
    await hears("one");
    expect(matrix.calls("login")).toEqual([]);
    const devices = matrix.emulator.server.keys.query([BOT.userId]);
    matrix.emulator.expireBotToken();
    await hears("two");
    expect(matrix.emulator.server.keys.query([BOT.userId])).toEqual(devices);
    await matrix.clock.advance(60_000);
    matrix.emulator.signOutBot();
    await expect.poll(() => matrix.calls("login").length).toBe(2);
    await expect.poll(() => matrix.adapter.health().state).toBe("up");
    await hears("three");
    await matrix.restart();
    await hears("four");
    expect(matrix.calls("login")).toHaveLength(2);
  });

  it("a wrong password is refused", async () => {
    const refused = startMatrix({ ...WITH_PASSWORD, password: "another" });
    await expect(refused).rejects.toMatchObject({ code: "PLATFORM_UNAUTHORISED" });
    matrix = await startMatrix();
  });

  it("the log holds neither password nor token", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    await hears("one");
    const kept = readFileSync(join(matrix.folder, "matrix.db-wal"), "latin1");
    const [, token = "?"] = /"accessToken":"([^"]+)"/.exec(kept) ?? [];
    expect(token.length).toBeGreaterThan(10);
    const logged = matrix.logged.join("\n");
    expect(logged).not.toContain(token);
    expect(logged).not.toContain(BOT.password);
  });
});
