import { type Conversation, PlatformError } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, PEOPLE } from "../emulator/index.ts";
import { type RunningSignal, startSignal } from "../test/running-signal.ts";

let signal: RunningSignal;
beforeEach(async () => {
  signal = await startSignal();
});
afterEach(async () => {
  await signal[Symbol.asyncDispose]();
});

function home(chatId: string): Promise<Conversation> {
  return signal.adapter.homeConversation({ chatId });
}

async function refusalOf(chatId: string): Promise<PlatformError> {
  const error: unknown = await home(chatId).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PlatformError);
  return error as PlatformError;
}

describe("a home channel", () => {
  it("a home person is known by service id, from either number or id", async () => {
    const expected = { platform: "signal", chatId: PEOPLE.ada.uuid, kind: "dm" };
    expect(await home(PEOPLE.ada.uuid)).toEqual(expected);
    expect(await home(PEOPLE.ada.number)).toEqual(expected);
    expect(await home("+49 1555 111-11 11")).toEqual(expected);
  });

  it("a home person may be somebody the account has never met", async () => {
    signal.emulator.setPerson(CHATS.ada, { isKnown: false });
    expect((await home(PEOPLE.ada.number)).chatId).toBe(PEOPLE.ada.uuid);
    expect((await home(PEOPLE.ada.uuid)).chatId).toBe(PEOPLE.ada.uuid);
    expect(signal.emulator.messages(CHATS.ada)).toEqual([]);
  });

  it("a home channel can be a group", async () => {
    expect(await home(CHATS.group)).toEqual({ platform: "signal", chatId: CHATS.group, kind: "group" });
  });

  it("a home channel opens no threads", async () => {
    const { chatId } = await home(CHATS.group);
    const options = { home: { chatId }, mark: "mark", signal: new AbortController().signal };
    expect(await signal.adapter.createHandoffThread(chatId, "A plan", options)).toBeNull();
  });
});

describe("the name of a chat", () => {
  const nameOf = async (chatId: string) => signal.adapter.chatName(await home(chatId));

  it("a private chat is called as the contact is, and notes to oneself have no name", async () => {
    expect(await nameOf(PEOPLE.ada.uuid)).toBe("Ada");
    expect(await nameOf(PEOPLE.self.number)).toBeUndefined();
    expect(await nameOf(CHATS.group)).toBe("The team");
  });

  it("an id is not taken for a name", async () => {
    signal.emulator.setPerson(CHATS.ada, { name: PEOPLE.ada.number });
    expect(await nameOf(PEOPLE.ada.uuid)).toBeUndefined();
  });
});

describe("a home channel that cannot be written to", () => {
  it("an unregistered number or service id is refused as home channel", async () => {
    for (const id of ["+4915559999999", "99999999-aaaa-4bbb-8ccc-000000000009"]) {
      const error = await refusalOf(id);
      expect(error.code).toBe("PLATFORM_NOT_FOUND");
      expect(error.message).toContain("is not registered with Signal");
      expect(error.hint).toMatch(/use the UUID/);
    }
    signal.emulator.setPerson(CHATS.ada, { isRegistered: false });
    expect((await refusalOf(PEOPLE.ada.number)).code).toBe("PLATFORM_NOT_FOUND");
  });

  it("a blocked person is refused as home channel", async () => {
    signal.emulator.setPerson(CHATS.ada, { isBlocked: true });
    const error = await refusalOf(PEOPLE.ada.number);
    expect(error).toMatchObject({ code: "PLATFORM_FORBIDDEN", message: /has blocked/, hint: /unblock/ });
  });

  it("a group without the account is refused, with the likely causes", async () => {
    const error = await refusalOf(Buffer.alloc(32, 7).toString("base64"));
    expect(error.code).toBe("PLATFORM_NOT_FOUND");
    expect(error.hint).toMatch(/id is wrong.*removed from the group.*not accepted the invitation/);
    signal.emulator.setGroup(CHATS.group, { isMember: false });
    expect(await refusalOf(CHATS.group)).toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: /not a member of "The team"/,
    });
  });

  it("a group that is blocked or for admins only is refused as home channel", async () => {
    signal.emulator.setGroup(CHATS.group, { onlyAdminsSend: true });
    expect(await refusalOf(CHATS.group)).toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: /only admins may write/,
    });
    signal.emulator.setGroup(CHATS.group, { onlyAdminsSend: false, isBlocked: true });
    expect(await refusalOf(CHATS.group)).toMatchObject({ code: "PLATFORM_FORBIDDEN", message: /has blocked/ });
  });

  it("a home channel that is no id is refused, without guessing a number", async () => {
    const error = await refusalOf("call 0170 1234567");
    expect(error).toMatchObject({ code: "PLATFORM_NOT_FOUND", message: /is no id of a chat/ });
    expect(signal.calls("listContacts").flatMap(({ recipient }) => recipient)).not.toContain("+01701234567");
  });
});
