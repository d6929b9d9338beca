import { afterEach, describe, expect, it, vi } from "vitest";
import { PERSONAL_CHATS } from "../../emulator/index.ts";
import { at, sending, until } from "../harness.ts";
import { type RunningPersonal, startPersonal } from "../running-personal.ts";

const { ada: ADA, group: GROUP, otherGroup: OTHER } = PERSONAL_CHATS;

let personal: RunningPersonal;
afterEach(() => personal[Symbol.asyncDispose]());

const texts = (chatId: string) => personal.emulator.messages(chatId).map(({ text }) => text);

describe("a message", () => {
  it("a sent message arrives and has a link to the chat", async () => {
    personal = await startPersonal();
    const { link } = await personal.adapter.send(at(ADA), { text: "*Hi*" }, sending());
    expect(link).toBe(`https://wa.me/${ADA}`);
    expect(texts(ADA)).toEqual(["Hi"]);
  });

  it("a message to a group is read by everybody in it", async () => {
    personal = await startPersonal();
    const { link } = await personal.adapter.send(at(GROUP), { text: "Hi all" }, sending());
    expect(link).toBeUndefined();
    expect(texts(GROUP)).toEqual(["Hi all"]);
  });

  it("everybody in a group reads each of several messages sent at once", async () => {
    personal = await startPersonal();
    const wanted = Array.from({ length: 8 }, (_, at) => `Number ${at}`);
    await Promise.all(wanted.map((text) => personal.adapter.send(at(GROUP), { text }, sending(text))));
    expect(texts(GROUP).sort()).toEqual(wanted);
  });

  it("a message sent twice, even by another process, is shown once", async () => {
    personal = await startPersonal();
    const first = await personal.adapter.send(at(ADA), { text: "Once" }, sending("row"));
    await personal.restart();
    const second = await personal.adapter.send(at(ADA), { text: "Once" }, sending("row"));
    expect(second.messageId).toBe(first.messageId);
    expect(texts(ADA)).toEqual(["Once"]);
  });

  it("a message is uncertain, and repeatable, when its connection broke too early", async () => {
    personal = await startPersonal();
    personal.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    await expect(personal.adapter.send(at(ADA), { text: "Hi" }, sending())).rejects.toMatchObject({
      code: "PLATFORM_UNCERTAIN",
    });
    expect(personal.adapter.capabilities.idempotentSend).toBe(true);
  });

  it("sending and receiving at once leave both messages readable", async () => {
    personal = await startPersonal();
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        personal.adapter.send(at(ADA), { text: `Out ${round}` }, sending(`a${round}`)),
        personal.emulator.receive({ chatId: ADA, text: `In ${round}` }),
        personal.adapter.send(at(GROUP), { text: `Out ${round}` }, sending(`g${round}`)),
        personal.emulator.receive({ chatId: GROUP, text: `In ${round}` }),
      ]);
    }
    await until(() => personal.received.length === 10);
    const out = Array.from({ length: 5 }, (_, round) => `Out ${round}`);
    expect(texts(ADA).filter((text) => text.startsWith("Out"))).toEqual(out);
    expect(texts(GROUP).filter((text) => text.startsWith("Out"))).toEqual(out);
  });
});

describe("a message to somebody whose own was still on its way when a new session was begun", () => {
  it("a late message and its answer survive a new encryption session", async () => {
    personal = await startPersonal();
    await personal.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => personal.received.length === 1);
    await personal.adapter.send(at(ADA), { text: "The first session" }, sending("a"));
    personal.emulator.fail({ operation: "deliver", kind: { is: "out-of-order" } });
    await personal.emulator.receive({ chatId: ADA, text: "Late" });
    await personal.restart();
    await personal.adapter.send(at(ADA), { text: "The second session" }, sending("b"));
    await personal.emulator.receive({ chatId: ADA, text: "In time" });
    await until(() => personal.received.length === 3);
    await personal.adapter.send(at(ADA), { text: "After that" }, sending("c"));
    expect(personal.received.map(({ text }) => text)).toEqual(["Hello", "In time", "Late"]);
    expect(texts(ADA).filter((text) => !["Hello", "In time", "Late"].includes(text))).toEqual([
      "The first session",
      "The second session",
      "After that",
    ]);
  });
});

describe("a change", () => {
  it("an edit replaces the text of the message", async () => {
    personal = await startPersonal();
    const { messageId } = await personal.adapter.send(at(ADA), { text: "One" }, sending("a"));
    const edited = await personal.adapter.edit(at(ADA), messageId, { text: "One, two" }, sending("b"));
    expect(edited.messageId).toBe(messageId);
    expect(personal.emulator.messages(ADA)).toMatchObject([{ text: "One, two", isEdited: true }]);
  });

  it("an edit after a quarter of an hour is refused, so that a new message goes out", async () => {
    personal = await startPersonal();
    const { messageId } = await personal.adapter.send(at(ADA), { text: "One" }, sending("a"));
    await personal.restart();
    await personal.clock.advance(14 * 60_000);
    await expect(personal.adapter.edit(at(ADA), messageId, { text: "Two" }, sending("b"))).rejects.toMatchObject({
      code: "PLATFORM_NOT_FOUND",
    });
  });
});

describe("typing", () => {
  it("the typing indicator is shown in the chat", async () => {
    personal = await startPersonal();
    await personal.adapter.typing(at(ADA));
    await until(() => personal.calls("chatstate").length > 0);
    expect(personal.calls("chatstate")).toMatchObject([{ to: `${ADA}@s.whatsapp.net`, state: "composing" }]);
  });
});

describe("the home channel", () => {
  it("the home channel is a WhatsApp number or a group of the account", async () => {
    personal = await startPersonal();
    expect(await personal.adapter.homeConversation({ chatId: "+49 170 0000101" })).toEqual(at(ADA));
    expect(await personal.adapter.homeConversation({ chatId: GROUP })).toEqual(at(GROUP));
  });

  it.each([
    ["a number that is not on WhatsApp", "491709999999", "PLATFORM_NOT_FOUND", /country code/],
    ["a group that is not there", "120363999999999999@g.us", "PLATFORM_NOT_FOUND", /removed from it/],
    ["something else", "Ada", "PLATFORM_NOT_FOUND", /group's id/],
  ])("cannot be %s", async (_, chatId, code, told) => {
    personal = await startPersonal();
    await expect(personal.adapter.homeConversation({ chatId })).rejects.toMatchObject({
      code,
      hint: expect.stringMatching(told),
    });
  });

  it("refuses a home group that the account left or where only administrators write", async () => {
    personal = await startPersonal();
    personal.emulator.world.chat(GROUP).hasAccount = false;
    personal.emulator.world.chat(OTHER).isForAdmins = true;
    await expect(personal.adapter.homeConversation({ chatId: GROUP })).rejects.toMatchObject({
      code: "PLATFORM_NOT_FOUND",
    });
    await expect(personal.adapter.homeConversation({ chatId: OTHER })).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      hint: expect.stringContaining("administrator"),
    });
  });
});

describe("the keys of the sessions", () => {
  it("the library prints no keys, nor anything else", async () => {
    const printed: unknown[] = [];
    const spies = (["log", "info", "warn", "error"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...given) => void printed.push(...given)),
    );
    personal = await startPersonal();
    for (let round = 0; round < 3; round++) {
      // Both begin a session at once, and one of the two is given up.
      await Promise.all([
        personal.emulator.receive({ chatId: ADA, text: "In" }),
        personal.adapter.send(at(ADA), { text: "Out" }, sending(`a${round}`)),
      ]);
    }
    console.info("somebody else");
    for (const spy of spies) spy.mockRestore();
    expect(printed).toEqual(["somebody else"]);
    expect(JSON.stringify(personal.logged)).not.toMatch(/privKey|chainKey|rootKey/);
  });
});
