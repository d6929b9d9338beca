import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { heard, type RunningIMessage, sendOptions, settledIn, startIMessage } from "./running-imessage.ts";

let imessage: RunningIMessage;
afterEach(() => imessage[Symbol.asyncDispose]());

function marks(): unknown[] {
  return imessage.calls("POST chat/:guid/read").map(({ guid }) => guid);
}

function post(url: string, data: object): Promise<Response> {
  return fetch(url, { method: "POST", body: JSON.stringify({ type: "new-message", data }) });
}

async function hookUrl(): Promise<string> {
  await imessage.until(() => imessage.calls("POST webhook").length > 0);
  return imessage.emulator.world.webhooks.list(null, null)[0]?.url ?? "";
}

describe("read marks", () => {
  it("messages are marked as read when they are answered, and a stranger's never", async () => {
    imessage = await startIMessage({ readReceipts: true });
    await settledIn(imessage, CHATS.grace);
    await settledIn(imessage);
    expect(marks()).toEqual([]);
    const ada = await imessage.adapter.homeConversation({ chatId: PEOPLE.ada });
    await imessage.adapter.typing?.(ada, sendOptions.signal);
    expect(marks()).toEqual([CHATS.ada]);
    await imessage.adapter.send(ada, { text: "Hello" }, sendOptions);
    await expect.poll(marks).toEqual([CHATS.ada, CHATS.ada]);
  });

  it("nothing is marked as read without the option, or without the Private API", async () => {
    imessage = await startIMessage();
    const ada = await imessage.adapter.homeConversation({ chatId: PEOPLE.ada });
    await imessage.adapter.typing?.(ada, sendOptions.signal);
    await imessage.adapter.send(ada, { text: "Hello" }, sendOptions);
    imessage.emulator.setMac({ privateApi: false });
    await imessage.restart({ readReceipts: true });
    await imessage.adapter.send(ada, { text: "Hello" }, { ...sendOptions, key: "key-2" });
    expect(marks()).toEqual([]);
  });
});

describe("a webhook", () => {
  it("a webhook from an address that the config does not name is refused", async () => {
    imessage = await startIMessage({ webhook: { from: ["192.0.2.7"] } });
    const { messageId: guid } = await imessage.emulator.receive({ chatId: CHATS.ada, text: "Hello" });
    expect((await post(await hookUrl(), { guid })).status).toBe(403);
    await settledIn(imessage);
    expect(heard(imessage)).toEqual(["Hello"]);
  });

  it("a webhook of what is no message changes nothing, whatever its guid", async () => {
    imessage = await startIMessage();
    const url = await hookUrl();
    for (const guid of ["..", "../server/restart", "x?y=1#z", "p:0/1", ""]) {
      expect((await post(url, { guid, chats: [{ guid: CHATS.ada }] })).status).toBe(200);
    }
    for (const body of ["", "[]", '{"type":7}', "<html>"]) {
      expect((await fetch(url, { method: "POST", body })).status).toBe(400);
    }
    await settledIn(imessage);
    expect(heard(imessage)).toEqual([]);
    expect(imessage.emulator.log.map(({ method }) => method)).not.toContain("GET server/restart");
  });
});

describe("the password", () => {
  it("no log line, error or health tells the password, whatever fails", async () => {
    imessage = await startIMessage();
    const { emulator, adapter, clock, logged } = imessage;
    const files = [{ name: "a.txt", mediaType: "text/plain", content: "one" }];
    const ada = await adapter.homeConversation({ chatId: PEOPLE.ada });
    const told: unknown[] = [];
    for (const is of ["disconnect", "break", "drop-answer"] as const) {
      emulator.fail({ operation: "send", kind: { is } });
      const sent = adapter.send(ada, { text: is }, { ...sendOptions, key: is });
      await sent.catch((error: unknown) => told.push(error, (error as Error).cause));
    }
    emulator.fail({ operation: "download", times: 3, kind: { is: "break" } });
    await emulator.receive({ chatId: CHATS.ada, text: "A file", files });
    const isReceived = async () => {
      await clock.advance(1_000);
      return imessage.received.length;
    };
    await expect.poll(isReceived, { timeout: 20_000 }).toBeGreaterThan(0);
    emulator.setMac({ power: "restarting" });
    const health = async () => {
      await clock.advance(5_000);
      return adapter.health();
    };
    await expect.poll(health).toMatchObject({ state: "down" });
    const all = [...logged, adapter.health().detail, ...told.map((error) => inspect(error, { depth: 9 }))].join("\n");
    const { password } = emulator.options;
    for (const form of [password, encodeURIComponent(password), encodeURI(password)]) expect(all).not.toContain(form);
  });

  it("a password that the server does not take ends the start with what to do", async () => {
    imessage = await startIMessage();
    const started = imessage.restart({ password: "another one" });
    await expect(started).rejects.toMatchObject({ code: "PLATFORM_UNAUTHORISED" });
    expect(imessage.adapter.health()).toMatchObject({ state: "down" });
  });
});

describe("the Private API", () => {
  it("a helper that is not connected is named in the health", async () => {
    imessage = await startIMessage({}, (emulator) => emulator.setMac({ helperConnected: false }));
    expect(imessage.adapter.health().detail).toContain("its helper is not connected: restart Messages");
  });
});

describe("the socket", () => {
  it("a socket that falls silent is opened anew, and what came meanwhile is heard", async () => {
    imessage = await startIMessage();
    const { emulator, clock } = imessage;
    const opened = () => emulator.log.filter(({ method }) => method === "socket.io").length;
    expect(opened()).toBe(1);
    emulator.socket.isMute = true;
    await emulator.receive({ chatId: CHATS.ada, text: "Hello" });
    await clock.advance(151_000);
    emulator.socket.isMute = false;
    const isOpenAnew = async () => {
      await clock.advance(1_000);
      return opened();
    };
    await expect.poll(isOpenAnew).toBe(2);
    await settledIn(imessage);
    expect(heard(imessage)).toEqual(["Hello"]);
  });
});

describe("what Hermes never had", () => {
  it("an edit of a message of before the first start is no new message, nor is its end", async () => {
    let messageId = "";
    imessage = await startIMessage({}, (emulator) => {
      void emulator.receive({ chatId: CHATS.ada, text: "Long ago" }).then((written) => {
        messageId = written.messageId;
      });
    });
    await imessage.clock.advance(1_000);
    await imessage.emulator.receive({ chatId: CHATS.ada, text: "Delete everything", editOf: messageId });
    await settledIn(imessage);
    expect(imessage.received.filter(({ text }) => text === "Delete everything")).toMatchObject([{ isEdit: true }]);
    imessage.emulator.retract({ chatId: CHATS.ada, messageId });
    await settledIn(imessage);
    expect(imessage.received.filter(({ isEdit }) => isEdit !== true).map(({ text }) => text)).toEqual([
      "marker 0",
      "marker 2",
    ]);
  });

  it("a message dated in the future does not keep later ones from being found", async () => {
    imessage = await startIMessage();
    const { emulator, clock } = imessage;
    const dateCreated = clock.now() + 10 * 24 * 60 * 60_000;
    await emulator.receive({ chatId: CHATS.ada, text: "Of the future", row: { dateCreated } });
    await settledIn(imessage);
    const queries = imessage.calls("POST message/query").length;
    const isRead = async () => {
      await clock.advance(20_000);
      return imessage.calls("POST message/query").length;
    };
    await expect.poll(isRead).toBeGreaterThan(queries + 1);
    emulator.setMac({ isDeaf: true });
    await emulator.receive({ chatId: CHATS.ada, text: "Of today" });
    const words = async () => {
      await clock.advance(20_000);
      return heard(imessage);
    };
    await expect.poll(words).toEqual(["Of the future", "Of today"]);
  });
});
