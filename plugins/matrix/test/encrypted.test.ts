import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { textFile } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADA, BOT, ROOMS } from "../emulator/index.ts";
import { type RunningMatrix, sendOptions, startMatrix, threadOptions } from "./running-matrix.ts";

const ROOM = ROOMS.encryptedDirect;
const STRANGER = "@stranger:emulated.test";

let matrix: RunningMatrix;
beforeEach(async () => {
  matrix = await startMatrix();
});
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

async function say(text: string): Promise<void> {
  const at = await matrix.adapter.homeConversation({ chatId: ROOM });
  await matrix.adapter.send(at, { text }, sendOptions(text));
}

/** The types of what the bot has put into the room, as the server sees them. */
function typesOnServer(): string[] {
  const entries = matrix.emulator.server.room(ROOM)?.entries ?? [];
  return entries
    .filter(({ event }) => event.sender === BOT.userId && event.state_key === undefined)
    .map(({ event }) => event.type);
}

/** Who has signed the bot's device: itself, and its account where that has an identity. */
function signaturesOfDevice(): string[] {
  const { device_keys: users } = matrix.emulator.server.keys.query([BOT.userId]) as {
    device_keys: Record<string, Record<string, { signatures: Record<string, object> }>>;
  };
  const [device] = Object.values(users[BOT.userId] ?? {});
  return Object.keys(device?.signatures[BOT.userId] ?? {});
}

async function hears(text: string): Promise<void> {
  await expect.poll(() => matrix.received.map((message) => message.text)).toContain(text);
}

describe("an encrypted room", () => {
  it("exchanges messages that people read with their own keys, and the server does not", async () => {
    await say("A secret.");
    expect(matrix.emulator.messages(ROOM)).toMatchObject([{ text: "A secret.", author: "bot" }]);
    await matrix.emulator.receive({ chatId: ROOM, text: "Another secret." });
    await hears("Another secret.");
    const onServer = JSON.stringify(matrix.emulator.server.room(ROOM)?.entries);
    expect(onServer).not.toMatch(/secret\./);
  });

  it("nothing is ever sent to an encrypted room in plain text", async () => {
    const { adapter } = matrix;
    const home = await adapter.homeConversation({ chatId: ROOM });
    const { conversation } = await adapter.createHandoffThread(ROOM, "Plan a trip", threadOptions(ROOM));
    const { messageId } = await adapter.send(conversation, { text: "One" }, sendOptions("1"));
    await adapter.edit(conversation, messageId, { text: "One, two" }, sendOptions("1"));
    const file = textFile("plan.md", "text/markdown", "# To Rome");
    await adapter.send(home, { text: "", file }, { ...sendOptions("2"), content: Buffer.from("# To Rome") });
    expect(typesOnServer()).toEqual(Array(4).fill("m.room.encrypted"));
    expect(JSON.stringify(matrix.calls("send"))).not.toMatch(/Plan a trip|One|plan\.md/);
    const stored = [...matrix.emulator.server.media.values()].map(({ content }) => content.toString());
    expect(stored.join()).not.toContain("To Rome");
  });

  it("encryption goes on after a restart with the old keys and the same device", async () => {
    await say("Before.");
    await matrix.emulator.receive({ chatId: ROOM, text: "And you?" });
    await hears("And you?");
    const device = matrix.emulator.server.keys.query([BOT.userId]);
    await matrix.restart();
    await matrix.emulator.receive({ chatId: ROOM, text: "Still there?" });
    await hears("Still there?");
    await say("After.");
    expect(matrix.emulator.messages(ROOM).map(({ text }) => text)).toEqual([
      "Before.",
      "And you?",
      "Still there?",
      "After.",
    ]);
    expect(matrix.emulator.server.keys.query([BOT.userId])).toEqual(device);
  });

  it("messages sent while the process was down are decrypted after a restart", async () => {
    await say("Hello.");
    await matrix.stop();
    await matrix.emulator.receive({ chatId: ROOM, text: "While you were away." });
    await matrix.restart();
    await hears("While you were away.");
  });

  it("lets the bot read text files, and people the bot's", async () => {
    const files = [{ name: "notes.txt", mediaType: "text/plain", content: "The word is plum." }];
    await say("Send it.");
    await matrix.emulator.receive({ chatId: ROOM, text: "", files });
    await expect
      .poll(() => matrix.received.at(-1)?.attachments)
      .toMatchObject([{ name: "notes.txt", text: "The word is plum." }]);
  });

  it("holds whole answers of the largest size, encrypted", async () => {
    const at = await matrix.adapter.homeConversation({ chatId: ROOM });
    const markdown = 'a "quoted" \\\\ <b> & **bold** 🙂\n\n'.repeat(4_000);
    for (const [index, piece] of matrix.adapter.render({ kind: "answer", markdown }).entries()) {
      const { messageId } = await matrix.adapter.send(at, piece, sendOptions(`${index}`));
      await matrix.adapter.edit(at, messageId, piece, sendOptions(`edit ${index}`));
    }
    expect(matrix.calls("send").length).toBeGreaterThan(2);
  });

  it("encrypts for good in a room once it is encrypted, whatever its state says", async () => {
    const { emulator, adapter } = matrix;
    const at = await adapter.homeConversation({ chatId: ROOMS.direct });
    const types = () => emulator.messages(ROOMS.direct).map(({ raw }) => (raw as { type: string }).type);
    const written = async (text: string) => {
      await adapter.send(at, { text }, sendOptions(text));
      return types().at(-1);
    };
    expect(await written("Open.")).toBe("m.room.message");
    emulator.setState(ROOMS.direct, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    await emulator.receive({ chatId: ROOMS.direct, text: "Now closed." });
    await hears("Now closed.");
    expect(await written("Closed.")).toBe("m.room.encrypted");
    emulator.setState(ROOMS.direct, "m.room.encryption", {});
    await emulator.receive({ chatId: ROOMS.group, text: "Go on." });
    await hears("Go on.");
    await expect(written("Closed still.")).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN" });
  });

  it("encrypts from the first message in a room encrypted while no gateway ran", async () => {
    const { emulator } = matrix;
    const at = await matrix.adapter.homeConversation({ chatId: ROOMS.direct });
    await matrix.stop();
    emulator.setState(ROOMS.direct, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    await matrix.restart();
    await matrix.adapter.send(at, { text: "A secret." }, sendOptions());
    expect(emulator.messages(ROOMS.direct)).toMatchObject([{ text: "A secret.", raw: { type: "m.room.encrypted" } }]);
  });

  it("sends no plain text to a room encrypted while nothing could be received", async () => {
    const { emulator } = matrix;
    const at = await matrix.adapter.homeConversation({ chatId: ROOMS.direct });
    emulator.fail({ operation: "connect", kind: { is: "break" }, times: 2 });
    emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await expect.poll(() => matrix.adapter.health().state).toBe("down");
    emulator.setState(ROOMS.direct, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    await matrix.adapter.send(at, { text: "A secret." }, sendOptions());
    expect(emulator.messages(ROOMS.direct)).toMatchObject([{ text: "A secret.", raw: { type: "m.room.encrypted" } }]);
  });

  it("one call tells who is in a room and whether it is encrypted, for the next send", async () => {
    const { emulator, adapter, clock } = matrix;
    const at = await adapter.homeConversation({ chatId: ROOMS.direct });
    const asked = () => matrix.calls("all_state").length + matrix.calls("state").length;
    const before = asked();
    expect(await adapter.peopleAt(at)).toEqual({ ids: [ADA], isFixed: false });
    await adapter.send(at, { text: "Open." }, sendOptions("1"));
    expect(asked()).toBe(before + 1);
    emulator.setState(ROOMS.direct, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    await clock.advance(1_000);
    await adapter.send(at, { text: "A secret." }, sendOptions("2"));
    expect(emulator.messages(ROOMS.direct).at(-1)).toMatchObject({ raw: { type: "m.room.encrypted" } });
  });

  it("sends no plain text to a room found encrypted when it asks who reads there", async () => {
    const { emulator, adapter } = matrix;
    const at = await adapter.homeConversation({ chatId: ROOMS.direct });
    emulator.fail({ operation: "connect", kind: { is: "break" }, times: 2 });
    emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
    await expect.poll(() => adapter.health().state).toBe("down");
    emulator.setState(ROOMS.direct, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    await adapter.peopleAt(at);
    await adapter.send(at, { text: "A secret." }, sendOptions());
    expect(emulator.messages(ROOMS.direct)).toMatchObject([{ raw: { type: "m.room.encrypted" } }]);
  });

  it("nobody is told to be in a room that the bot was removed from", async () => {
    const at = await matrix.adapter.homeConversation({ chatId: ROOMS.direct });
    matrix.emulator.setState(ROOMS.direct, "m.room.member", { membership: "leave" }, BOT.userId);
    await expect(matrix.adapter.peopleAt(at)).rejects.toMatchObject({ code: "PLATFORM_FORBIDDEN" });
  });

  it("an unencrypted message is refused with a notice, at most once a minute", async () => {
    const { emulator } = matrix;
    const forge = (body: string) => {
      const room = emulator.server.room(ROOM);
      if (room)
        emulator.server.append(room, { type: "m.room.message", sender: ADA, content: { msgtype: "m.text", body } });
    };
    forge("!whoami");
    forge("Once more.");
    await emulator.receive({ chatId: ROOM, text: "It is really me." });
    await hears("It is really me.");
    expect(matrix.received.map(({ text }) => text)).toEqual(["It is really me."]);
    const said = emulator.messages(ROOM).filter(({ author }) => author === "bot");
    expect(said).toMatchObject([
      { text: expect.stringContaining("came unencrypted"), raw: { type: "m.room.encrypted" } },
    ]);
  });

  it("reads what was written before it was encrypted, also when both come at once", async () => {
    const { emulator } = matrix;
    await emulator.receive({ chatId: ROOMS.direct, text: "Open." });
    await hears("Open.");
    await matrix.stop();
    await emulator.receive({ chatId: ROOMS.direct, text: "Still open." });
    emulator.setState(ROOMS.direct, "m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    const room = emulator.server.room(ROOMS.direct);
    const content = { msgtype: "m.text", body: "Forged." };
    if (room) emulator.server.append(room, { type: "m.room.message", sender: ADA, content });
    await matrix.restart();
    await emulator.receive({ chatId: ROOMS.direct, text: "Closed." });
    await hears("Closed.");
    expect(matrix.received.map(({ text }) => text)).toEqual(["Open.", "Still open.", "Closed."]);
  });

  it("new members get the room's keys, and former ones do not", async () => {
    const { emulator } = matrix;
    const group = await matrix.adapter.homeConversation({ chatId: ROOMS.encrypted, shared: true });
    const read = async (text: string) => {
      await matrix.adapter.send(group, { text }, sendOptions(text));
      const { log } = emulator;
      const shared = log.filter(({ method }) => method === "sendToDevice").at(-1)?.body as { messages?: object };
      return Object.keys(shared.messages ?? {});
    };
    expect(await read("For Ada and Bo.")).toContain(ADA);
    await emulator.receive({ chatId: ROOMS.encrypted, userId: "@cy:emulated.test", text: "I am new." });
    await hears("I am new.");
    expect(await read("For Cy too.")).toContain("@cy:emulated.test");
    emulator.leave(ROOMS.encrypted, "@cy:emulated.test");
    await emulator.receive({ chatId: ROOMS.encrypted, text: "Cy has left." });
    await hears("Cy has left.");
    expect(await read("Not for Cy.")).not.toContain("@cy:emulated.test");
  });
});

describe("the keys of an encrypted room", () => {
  const LIMITED = "!limited:emulated.test";
  const limited = (more: { readonly type: string; readonly content: object }) => {
    const content = { algorithm: "m.megolm.v1.aes-sha2", rotation_period_msgs: 1 };
    const state = [{ type: "m.room.encryption", content }, more] as never;
    matrix.emulator.createRoom({ id: LIMITED, members: [BOT.userId], state });
  };

  it("room keys rotate as often as the room asks for it", async () => {
    limited({ type: "m.room.topic", content: { topic: "Short keys" } });
    const at = await matrix.adapter.homeConversation({ chatId: LIMITED });
    for (const text of ["One.", "Two."]) await matrix.adapter.send(at, { text }, sendOptions(text));
    const sessions = matrix.calls("send").map(({ session_id: id }) => id);
    expect(new Set(sessions).size).toBe(2);
  });

  it.each([
    ["are given to who is invited, where they may read what was said before they came", "invited", true],
    ["are not given to who is only invited, where they may not", "joined", false],
  ])("%s", async (_, visibility, isGiven) => {
    const bo = "@bo:emulated.test";
    await matrix.emulator.receive({ chatId: ROOMS.encrypted, userId: bo, text: "I have a phone." });
    await hears("I have a phone.");
    limited({ type: "m.room.history_visibility", content: { history_visibility: visibility } });
    matrix.emulator.invite(LIMITED, ADA, bo);
    const at = await matrix.adapter.homeConversation({ chatId: LIMITED });
    await matrix.adapter.send(at, { text: "Soon." }, sendOptions());
    const given = matrix.calls("sendToDevice").map(({ messages }) => Object.keys(messages as object));
    expect(given.at(-1)?.includes(bo)).toBe(isGiven);
  });
});

describe("a message that cannot be decrypted", () => {
  it("a message is answered when its key comes late", async () => {
    const { deliverKey } = await matrix.emulator.writeUnreadable(ROOM, "Too early.");
    await expect.poll(() => matrix.logged.join("\n")).toContain("cannot be read yet");
    expect(matrix.received).toEqual([]);
    deliverKey();
    await hears("Too early.");
    expect(matrix.received).toHaveLength(1);
  });

  it("waits for its key over a restart", async () => {
    const { deliverKey } = await matrix.emulator.writeUnreadable(ROOM, "Too early.");
    await expect.poll(() => matrix.logged.join("\n")).toContain("cannot be read yet");
    await matrix.restart();
    deliverKey();
    await hears("Too early.");
  });

  it("a late key's message is answered even after a crash", async () => {
    const { deliverKey } = await matrix.emulator.writeUnreadable(ROOM, "Too early.");
    await expect.poll(() => matrix.logged.join("\n")).toContain("cannot be read yet");
    matrix.onReceive = () => new Promise(() => {});
    deliverKey();
    await hears("Too early.");
    matrix.onReceive = async () => {};
    matrix.received.length = 0;
    await matrix.restart();
    await hears("Too early.");
  });

  it("the room gets one encrypted notice of an unreadable message after a minute", async () => {
    await matrix.emulator.writeUnreadable(ROOM, "Nobody can read me.");
    await expect.poll(() => matrix.logged.join("\n")).toContain("cannot be read yet");
    await matrix.clock.advance(60_000);
    const said = () => matrix.emulator.messages(ROOM).filter(({ author }) => author === "bot");
    const notice = /could not be decrypted: its key did not arrive. Send it again/;
    await expect.poll(() => said()[0]?.text).toMatch(notice);
    expect(said()).toHaveLength(1);
    await matrix.clock.advance(600_000);
    await matrix.restart();
    expect(said()).toHaveLength(1);
    expect(typesOnServer()).toEqual(["m.room.encrypted"]);
  });

  it("ignores an unreadable message of somebody who is not allowed", async () => {
    await matrix[Symbol.asyncDispose]();
    matrix = await startMatrix({ allowedUsers: [ADA] });
    const group = ROOMS.encrypted;
    await matrix.emulator.receive({ chatId: group, userId: STRANGER, text: "Let me in." });
    await matrix.emulator.writeUnreadable(group, "Let me in!", STRANGER);
    await matrix.emulator.writeUnreadable(group, "Can you read this?");
    await expect.poll(() => matrix.logged.join("\n")).toContain("cannot be read yet");
    await matrix.clock.advance(60_000);
    const said = () => matrix.emulator.messages(group).filter(({ author }) => author === "bot");
    await expect.poll(() => said()[0]?.text).toMatch(/^A message here could not/);
    expect(said()).toHaveLength(1);
    expect(matrix.logged.filter((line) => line.includes("cannot be read yet"))).toHaveLength(1);
  });

  it("ignores an unreadable message of somebody who is no longer allowed", async () => {
    const group = ROOMS.encrypted;
    await matrix.emulator.writeUnreadable(group, "Can you read this?");
    await expect.poll(() => matrix.logged.join("\n")).toContain("cannot be read yet");
    await matrix.restart({ allowedUsers: ["@bo:emulated.test"] });
    await matrix.clock.advance(60_000);
    await matrix.emulator.receive({ chatId: group, userId: "@bo:emulated.test", text: "Is Ada still here?" });
    await hears("Is Ada still here?");
    expect(matrix.emulator.messages(group).filter(({ author }) => author === "bot")).toEqual([]);
  });
});

describe("the bot's keys", () => {
  it("stand in a file that only its owner may read", async () => {
    await say("Hello.");
    for (const file of ["matrix.db", "matrix.db-wal"]) {
      expect((statSync(join(matrix.folder, file)).mode & 0o777).toString(8)).toBe("600");
    }
  });

  it("the bot's account signs its keys, so that apps do not warn", async () => {
    expect(signaturesOfDevice()).toHaveLength(2);
  });

  it("the next start signs the keys if the first could not", async () => {
    await matrix[Symbol.asyncDispose]();
    matrix = await startMatrix({}, (emulator) => {
      emulator.fail({ operation: "keys/signatures/upload", kind: { is: "break" } });
    });
    expect(signaturesOfDevice()).toHaveLength(1);
    await matrix.restart();
    expect(signaturesOfDevice()).toHaveLength(2);
  });

  it("the keys are signed on servers that ask for the password", async () => {
    await matrix[Symbol.asyncDispose]();
    const options = { accessToken: undefined, user: BOT.userId, password: BOT.password };
    matrix = await startMatrix(options, (emulator) => {
      emulator.fail({ operation: "keys/device_signing/upload", kind: { is: "refuse", code: "M_UNKNOWN_TOKEN" } });
    });
    expect(matrix.calls("keys/device_signing/upload").at(-1)).toMatchObject({ auth: { type: "m.login.password" } });
    expect(signaturesOfDevice()).toHaveLength(2);
  });

  it("an account with an identity from elsewhere gets no second one", async () => {
    await matrix[Symbol.asyncDispose]();
    const identity = { master_key: { user_id: BOT.userId, usage: ["master"], keys: { "ed25519:else": "else" } } };
    matrix = await startMatrix({}, (emulator) => emulator.server.keys.setCrossSigning(BOT.userId, identity));
    expect(matrix.calls("keys/device_signing/upload")).toEqual([]);
    expect(signaturesOfDevice()).toHaveLength(1);
  });

  it("a bot that lost its keys writes nothing to encrypted rooms and says why", async () => {
    await matrix.stop();
    for (const file of ["matrix.db", "matrix.db-wal", "matrix.db-shm"])
      rmSync(join(matrix.folder, file), { force: true });
    const published = matrix.emulator.server.keys.query([BOT.userId]);
    await matrix.restart();
    expect(matrix.emulator.server.keys.query([BOT.userId])).toEqual(published);
    await expect.poll(() => matrix.adapter.health().state).toBe("degraded");
    expect(matrix.adapter.health().detail).toMatch(/Encrypted rooms are not read: .*log in anew/);
    await expect(matrix.adapter.homeConversation({ chatId: ROOM })).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
    });
    const at = { platform: "matrix", chatId: ROOM, kind: "dm" } as const;
    await expect(matrix.adapter.send(at, { text: "Plain." }, sendOptions())).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
    });
    expect(typesOnServer()).toEqual([]);
    await expect(matrix.adapter.homeConversation({ chatId: ROOMS.direct })).resolves.toMatchObject({ kind: "dm" });
  });
});
