import { describe, expect, it } from "vitest";
import type { Conversation } from "../../adapter/conversation.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { UserId } from "../../model/session.ts";
import { type AccessRules, addressOf, accessOf as ofRules } from "./access.ts";

const nobody = { allowedUsers: [], operators: [], allowedBots: [] };
const UNKNOWN = { user: null, people: { operators: [], members: [], guests: [] } };

/** Who is nobody to the store, unless `standing` says otherwise. */
function accessOf(
  sent: Parameters<typeof ofRules>[0],
  rules: Omit<AccessRules, "standing"> & Partial<Pick<AccessRules, "standing">>,
) {
  return ofRules(sent, { standing: UNKNOWN, ...rules });
}

function message(conversation: Partial<Conversation>, sender = "u1", aliases?: string[]): InboundMessage {
  return {
    conversation: { platform: "p", chatId: "c1", kind: "dm", ...conversation },
    messageId: "m1",
    sender: { id: sender, ...(aliases ? { aliases } : {}) },
    text: "hello",
    sentAt: 0,
  };
}

describe("who may talk to the agent", () => {
  it("nobody may talk to the agent until the config says so", () => {
    expect(accessOf(message({}), { options: nobody, homePerson: null })).toBeNull();
  });

  it("makes the person recorded for a private home channel the operator there", () => {
    const access = accessOf(message({ chatId: "home", threadId: "t1" }), { options: nobody, homePerson: "u1" });
    expect(access).toEqual({
      user: "operator",
      identity: expect.any(String),
      isOperator: true,
      isGuest: false,
      visible: { kind: "all" },
    });
  });

  it("anybody but the home person is a stranger in a private home channel", () => {
    expect(accessOf(message({ chatId: "home" }, "u2", ["u1"]), { options: nobody, homePerson: "u1" })).toBeNull();
  });

  it("knows a person of several ids by their key, which a config never names", () => {
    const person = { key: "+491234", ids: [], grants: ["uuid-1"], isKept: true };
    const sent = { ...message({}), sender: { id: "uuid-1", person } };
    expect(accessOf(sent, { options: nobody, homePerson: "+491234" })?.isOperator).toBe(true);
    expect(accessOf(sent, { options: { ...nobody, operators: ["+491234"] }, homePerson: null })).toBeNull();
    expect(accessOf(sent, { options: { ...nobody, allowedUsers: ["uuid-1"] }, homePerson: null })?.user).toBe(
      "p:%2B491234",
    );
  });

  it("the same number on another account of the platform is somebody else", () => {
    const options = { ...nobody, allowedUsers: ["*"] };
    const [one, other] = ["shop", "home"].map(
      (account) => accessOf(message({}, "+491234"), { options: { ...options, account }, homePerson: null })?.user,
    );
    expect([one, other]).toEqual(["p@shop:%2B491234", "p@home:%2B491234"]);
  });

  it("a person listed under any of their ids may talk to the agent", () => {
    const options = { allowedUsers: ["+491234"], operators: [], allowedBots: [] };
    const access = accessOf(message({}, "uuid-1", ["+491234"]), { options, homePerson: null });
    const user = "p:uuid-1";
    expect(access).toEqual({
      user,
      identity: expect.any(String),
      isOperator: false,
      isGuest: false,
      visible: { kind: "begun-by", user },
    });
  });

  it("two operators of a config are two people", () => {
    const options = { ...nobody, operators: ["u1", "u2"] };
    const users = ["u1", "u2"].map((id) => accessOf(message({}, id), { options, homePerson: null }));
    expect(users.map((access) => access?.user)).toEqual(["p:u1", "p:u2"]);
    expect(users.every((access) => access?.isOperator && access.visible.kind === "all")).toBe(true);
  });

  it("a linked identity is its person, with the role of that person", () => {
    const user = "per_1" as UserId;
    const member = { user, people: { ...UNKNOWN.people, members: ["u1"] } };
    expect(accessOf(message({}), { options: nobody, homePerson: null, standing: member })).toEqual({
      ...{ user, identity: expect.any(String), isOperator: false, isGuest: false, visible: { kind: "begun-by", user } },
    });
    const standing = { user, people: { ...UNKNOWN.people, operators: ["u1"] } };
    expect(accessOf(message({}), { options: nobody, homePerson: null, standing })).toMatchObject({
      ...{ user, isOperator: true, visible: { kind: "all" } },
    });
    expect(accessOf(message({ kind: "group" }), { options: nobody, homePerson: null, standing })).toMatchObject({
      ...{ user, isOperator: true, visible: { kind: "of-chat" } },
    });
    expect(accessOf(message({}), { options: nobody, homePerson: "u1", standing: member })).toMatchObject({
      ...{ user, isOperator: true },
    });
  });

  it("a guest is one in the conversation of their pass, on the account that has it", () => {
    const key = buildSessionKey({ platform: "p", account: "shop", chatId: "c1", kind: "dm" });
    const standing = { user: null, people: { ...UNKNOWN.people, guests: [{ id: "u1", key }] } };
    const options = { ...nobody, account: "shop" };
    expect(accessOf(message({}), { options, homePerson: null, standing })).toMatchObject({
      ...{ user: "p@shop:u1", isOperator: false, isGuest: true, visible: { kind: "begun-by" } },
    });
    expect(accessOf(message({ chatId: "c2" }), { options, homePerson: null, standing })).toBeNull();
  });

  it('allowedUsers "*" lets everybody talk to the agent, not as the operator', () => {
    expect(
      accessOf(message({}), { options: { allowedUsers: ["*"], operators: [], allowedBots: [] }, homePerson: null })
        ?.isOperator,
    ).toBe(false);
  });

  it("another bot may talk only if the config names it, never as the operator", () => {
    const bot = { ...message({ chatId: "home" }, "bot1"), sender: { id: "bot1", isBot: true } };
    const options = { allowedUsers: ["*"], operators: ["bot1"], allowedBots: [] as string[] };
    expect(accessOf(bot, { options, homePerson: "bot1" })).toBeNull();
    expect(accessOf(bot, { options: { ...options, allowedBots: ["bot1"] }, homePerson: "bot1" })?.isOperator).toBe(
      false,
    );
  });

  it("shows even an operator, in a group, only the sessions begun there", () => {
    const options = { allowedUsers: [], operators: ["u1"], allowedBots: [] };
    const access = accessOf(message({ chatId: "team", kind: "group", threadId: "t" }), { options, homePerson: null });
    expect(access?.visible).toEqual({
      kind: "of-chat",
      chat: "agent:main:p:group:team",
      here: "agent:main:p:group:team:t=t",
    });
  });
});

describe("the conversation of a message", () => {
  const perUser = { sessionPerUser: true };

  it("all who are allowed in a group share its conversation", () => {
    expect(addressOf(message({ kind: "group", userId: "u1" }), { sessionPerUser: false }, null)).toEqual({
      platform: "p",
      chatId: "c1",
      kind: "group",
    });
  });

  it("sessionPerUser gives each person of a group their own conversation", () => {
    expect(addressOf(message({ kind: "group" }, "u7"), perUser, null).userId).toBe("u7");
  });

  it("sessionPerUser does not split a thread or the home channel", () => {
    expect(addressOf(message({ kind: "group", threadId: "t1" }), perUser, null).userId).toBeUndefined();
    expect(addressOf(message({ kind: "group" }), perUser, { chatId: "c1" }).userId).toBeUndefined();
    expect(addressOf(message({ kind: "group" }), perUser, { chatId: "c1", threadId: "t1" }).userId).toBe("u1");
  });

  it("uses the thread that a message begins, but the chat itself in the home channel", () => {
    const top = { ...message({ kind: "group" }), beginsThread: "m1" };
    expect(addressOf(top, perUser, { chatId: "team" })).toMatchObject({ chatId: "c1", threadId: "m1" });
    expect(addressOf(top, perUser, { chatId: "c1" }).threadId).toBeUndefined();
    expect(addressOf(top, perUser, { chatId: "c1", threadId: "t1" }).threadId).toBe("m1");
  });

  it("names the bot account where there are several", () => {
    expect(addressOf(message({}), { sessionPerUser: false, account: "second" }, null).account).toBe("second");
  });
});
