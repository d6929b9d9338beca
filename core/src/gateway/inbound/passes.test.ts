import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { readPassWords } from "../../command/pass.ts";
import { OPERATOR } from "../../model/session.ts";
import type { PlatformAuthor } from "../../model/turn.ts";
import { currentRights } from "../../store/current-rights.ts";
import type { Store } from "../../store/store.ts";

afterEach(disposeMachines);

type Standing = "operator" | "member" | "guest" | "stranger";

const dm = (id: string) => ({ platform: "loopback", chatId: `dm-${id}`, kind: "dm" }) as const;
const from = (id: string) => ({ chatId: `dm-${id}`, sender: { id, name: id } });

/** An operator, who writes from a chat that leads to a session of their own; a member; the guest of another session. */
async function people() {
  const on = machine({ operators: ["op"], allowedUsers: ["mem"] });
  const { store } = (await on.gateway()).host;
  const said = (id: string) => on.platform.textsIn(`dm-${id}`);
  const until = async (isSo: () => boolean | Promise<boolean>, times = 20): Promise<void> => {
    if (times <= 1) return on.until(isSo);
    await on.until(isSo).catch(() => until(isSo, times - 1));
  };
  const writes = async (id: string, text: string) => {
    const before = said(id).length;
    await on.platform.write(text, from(id));
    await until(() => said(id).length > before);
    return said(id).at(-1) ?? "";
  };
  const made = (title: string) =>
    store.sessions.create({ title, user: OPERATOR, origin: "terminal", originChat: null });
  const [plan, other] = [await made("Plan"), await made("Diary")];
  const at = { key: buildSessionKey(dm("op")), conversation: dm("op"), mirrors: false };
  await store.bindings.bind({ ...at, sessionId: other.id });
  const pass = async (words = "") => {
    const reply = await writes("op", `/pass ${words}`.trim());
    return { reply, code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(reply)?.[0] ?? "" };
  };
  await writes("gus", (await pass("--anyone")).code);
  await store.bindings.bind({ ...at, sessionId: plan.id });
  const mem = await store.people.add({ name: "Mem Ber", role: "member" });
  await store.people.link({ platform: "loopback", account: undefined, key: "mem" }, mem.id, "terminal", "mem");
  return { ...on, store, plan, other, said, writes, pass };
}

async function standing(store: Store, id: string, conversation: PlatformAuthor["conversation"]): Promise<Standing> {
  const author = { platform: "loopback", account: undefined, senderId: id, aliases: [], conversation };
  const rights = await currentRights(store, author);
  const may = (["tool", "command", "talk"] as const).find((act) => rights.mayDo(act).ok);
  return may === undefined ? "stranger" : ({ tool: "operator", command: "member", talk: "guest" } as const)[may];
}

const OF = { op: "operator", mem: "member", gus: "guest", str: "stranger" } as const;
type Who = keyof typeof OF;

/** Who is what in the private chat from which they send a pass; null where it is not theirs to use. */
const PASSES: readonly { readonly words: string; readonly makes: Readonly<Record<Who, Standing | null>> }[] = [
  { words: "", makes: { op: "operator", mem: null, gus: null, str: null } },
  { words: "--for Mem Ber", makes: { op: null, mem: "member", gus: null, str: null } },
  { words: "--anyone", makes: { op: "operator", mem: "member", gus: "guest", str: "guest" } },
];

const CASES = PASSES.flatMap(({ words, makes }) =>
  (Object.keys(OF) as Who[]).map((who) => ({
    words: words || "(own)",
    given: words,
    who,
    is: OF[who],
    makes: makes[who],
  })),
);

describe("whoever sends a pass is what they were, or a guest, and no more", () => {
  it.each(CASES)("/pass $words, sent by one who is: $is", async ({ given, who, makes }) => {
    const on = await people();
    const { store, plan, other } = on;
    // The operator sends it from another chat than the one they made it in.
    const chat = who === "op" ? "op2" : who;
    const { code } = await on.pass(given);
    const bound = async () => (await store.bindings.get(buildSessionKey(dm(chat))))?.sessionId;
    const before = await bound();
    const heard = on.said(chat).length;
    await on.platform.write(code, { chatId: `dm-${chat}`, sender: { id: who, name: who } });
    if (makes !== null || who !== "str") await on.until(() => on.said(chat).length > heard);
    else await on.clock.advance(3_000);
    const answer = on.said(chat).slice(heard).join();
    if (makes === null) {
      expect(answer).toEqual(who === "str" ? "" : "This code is not valid.");
      expect(await bound()).toBe(before);
      expect(await standing(store, who, dm(chat))).toBe(OF[who]);
      return;
    }
    expect(await bound()).toBe(plan.id);
    expect(/You are its guest/.test(answer)).toBe(makes === "guest");
    expect(await standing(store, who, dm(chat))).toBe(makes);
    // Elsewhere they are what they were, and in no other session.
    const elsewhere = OF[who] === "guest" ? "stranger" : OF[who];
    expect(await standing(store, who, { ...dm(`${who}-elsewhere`) })).toBe(elsewhere);
    await on.platform.write(`/resume ${other.title}`, { chatId: `dm-${chat}`, sender: { id: who, name: who } });
    await on.until(() => on.said(chat).length > heard + 1);
    expect((await bound()) === other.id).toBe(makes === "operator");
  });
});

describe("/pass", () => {
  it("a pass says for whom and how long it is, and finds a person by part of a name", async () => {
    const on = await people();
    expect((await on.pass("--for Mem --ttl 2d")).reply).toMatch(/gives \*\*Plan\*\* to Mem Ber once, within 2 d/);
    expect((await on.pass("—anyone --ttl 30m")).reply).toMatch(
      /once, within 30 min.*Whoever sends it to the bot first/,
    );
    expect((await on.pass("--for Nobody")).reply).toContain("Nobody");
    expect((await on.pass("--for Mem --anyone")).reply).toMatch(/`\/pass` is for yourself/);
    expect((await on.pass("Rome")).reply).toContain("`hermes pass Rome` in a terminal one for another session");
    expect(await on.store.codes.list("pass")).toHaveLength(3);
  });

  it("a pass is an operator's alone, and never said in a shared chat", async () => {
    const on = await people();
    expect(await on.writes("mem", "/pass --anyone")).toContain("You may not do that here.");
    await on.platform.write("/pass --anyone", { chatId: "team", isAddressed: true, sender: { id: "op" } });
    await on.until(() => on.platform.textsIn("team").length > 0);
    expect(on.platform.textsIn("team").join()).toContain("works only in a private chat");
    expect((await on.store.codes.list("pass")).filter(({ state }) => state === "open")).toEqual([]);
  });

  it("reads what the command line reads, and refuses the rest", () => {
    const own = { whom: null, isForAnyone: false, ttlMs: 3_600_000 };
    expect(readPassWords("")).toEqual(own);
    expect(readPassWords("anyone")).toEqual({ ...own, isForAnyone: true });
    expect(readPassWords('--ttl 90s --for "Ada L."')).toEqual({ ...own, whom: "Ada L.", ttlMs: 90_000 });
    expect(readPassWords("–ttl=7d —anyone")).toEqual({ whom: null, isForAnyone: true, ttlMs: 604_800_000 });
    for (const text of [
      "Ada",
      "--for",
      "--ttl",
      "--ttl 8d",
      "--ttl 30s",
      "--ttl soon",
      "--anyone Ada",
      "--nobody",
      "--for Ada --anyone",
    ]) {
      expect([text, readPassWords(text)]).toEqual([text, null]);
    }
  });
});
