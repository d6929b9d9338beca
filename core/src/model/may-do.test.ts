import { describe, expect, it } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import type { Grants } from "./grants.ts";
import { type Act, mayDo } from "./may-do.ts";
import type { PlatformAuthor } from "./turn.ts";

const CHAT = { platform: "pager", chatId: "9", kind: "group" } as const;
const HOME = { platform: "pager", chatId: "home", kind: "dm" } as const;
const NOBODY: Grants = {
  ...{ operators: [], allowedUsers: [], allowedBots: [], home: null },
  people: { operators: [], members: [], guests: [] },
};
const ACTS: readonly Act[] = ["talk", "guests-command", "command", "operators-command", "decide", "tool"];

function author(senderId: string, more: Partial<PlatformAuthor> = {}): PlatformAuthor {
  return { platform: "pager", account: undefined, senderId, aliases: [], conversation: CHAT, ...more };
}

function actsOf(who: Parameters<typeof mayDo>[0], grants: Grants | null): Act[] {
  return ACTS.filter((act) => mayDo(who, act, grants).ok);
}

describe("who may do what", () => {
  it("an operator may do everything, an allowed person talk and use commands", () => {
    const grants = { ...NOBODY, operators: ["ada"], allowedUsers: ["bob"] };
    expect(actsOf(author("ada"), grants)).toEqual(ACTS);
    expect(actsOf(author("bob"), grants)).toEqual(["talk", "guests-command", "command"]);
    expect(actsOf(author("eve"), grants)).toEqual([]);
    expect(actsOf(author("eve"), { ...grants, allowedUsers: ["*"] })).toEqual(["talk", "guests-command", "command"]);
  });

  it("whoever is at the terminal may do everything, whatever is published", () => {
    expect(actsOf("terminal", null)).toEqual(ACTS);
    expect(actsOf("terminal", NOBODY)).toEqual(ACTS);
  });

  it("a person is listed under any of their ids", () => {
    const grants = { ...NOBODY, operators: ["+491234"] };
    expect(mayDo(author("uuid-1", { aliases: ["+491234"] }), "tool", grants)).toEqual({ ok: true });
  });

  it("the person of the private home is an operator there, and nowhere else", () => {
    const grants = { ...NOBODY, home: { chat: buildSessionKey(HOME), person: "ada" } };
    expect(actsOf(author("ada", { conversation: { ...HOME, threadId: "t" } }), grants)).toEqual(ACTS);
    expect(actsOf(author("ada"), grants)).toEqual([]);
    expect(actsOf(author("ada", { conversation: { ...HOME, account: "shop" } }), grants)).toEqual([]);
    expect(actsOf(author("eve", { conversation: HOME, aliases: ["ada"] }), grants)).toEqual([]);
    const known = author("uuid-1", { conversation: HOME, person: "ada" });
    expect(actsOf(known, grants)).toEqual(ACTS);
    expect(actsOf({ ...known, senderId: "ada", person: "eve" }, grants)).toEqual([]);
  });

  it("a bot is never an operator, not even of the home channel", () => {
    const bot = author("relay", { conversation: HOME, isBot: true });
    const home = { chat: buildSessionKey(HOME), person: "relay" };
    const grants = { ...NOBODY, operators: ["relay"], allowedUsers: ["*"], home };
    expect(actsOf(bot, grants)).toEqual([]);
    expect(actsOf(bot, { ...grants, allowedBots: ["relay"] })).toEqual(["talk", "guests-command", "command"]);
  });

  it("a person of the store has their role at each of their identities", () => {
    const grants = { ...NOBODY, people: { operators: ["ada"], members: ["bob"], guests: [] } };
    expect(actsOf(author("ada"), grants)).toEqual(ACTS);
    expect(actsOf(author("uuid-1", { person: "ada" }), grants)).toEqual(ACTS);
    expect(actsOf(author("bob"), grants)).toEqual(["talk", "guests-command", "command"]);
    expect(actsOf(author("uuid-1", { aliases: ["ada"] }), grants)).toEqual([]);
    expect(actsOf(author("ada", { person: "eve" }), grants)).toEqual([]);
    expect(actsOf(author("ada", { isBot: true }), grants)).toEqual([]);
  });

  it("a guest may talk in the conversation of their pass, and do no more", () => {
    const guests = [{ id: "eve", key: buildSessionKey(HOME) }];
    const grants = { ...NOBODY, people: { ...NOBODY.people, guests } };
    expect(actsOf(author("eve", { conversation: HOME }), grants)).toEqual(["talk", "guests-command"]);
    expect(actsOf(author("eve", { conversation: { ...HOME, threadId: "t" } }), grants)).toEqual([]);
    expect(actsOf(author("eve"), grants)).toEqual([]);
    expect(actsOf(author("bob", { conversation: HOME }), grants)).toEqual([]);
    expect(actsOf(author("eve", { conversation: HOME }), { ...grants, allowedUsers: ["eve"] })).toContain("command");
  });

  it("the reason is said in words", () => {
    const refusal = "only an operator's words may use tools";
    expect(mayDo(author("bob"), "tool", NOBODY)).toEqual({ ok: false, reason: refusal });
    expect(mayDo(author("bob"), "decide", NOBODY)).toEqual({ ok: false, reason: "only an operator can answer" });
    const reason = "no gateway that serves pager:shop says at the moment who may do that";
    expect(mayDo(author("bob", { account: "shop" }), "tool", null)).toEqual({ ok: false, reason });
    expect(mayDo(null, "tool", NOBODY)).toMatchObject({ ok: false });
  });
});
