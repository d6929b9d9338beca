import { createVirtualClock, gate, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { ServedPlatform } from "../../model/gateway-row.ts";
import { homeOf } from "../../model/place.ts";
import { OPERATOR } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const HOME: NonNullable<ServedPlatform["home"]> = { chatId: "7", kind: "dm", key: buildSessionKey(CHAT) };

const clock = createVirtualClock();
const openBench = () => createTestBench({ hasPager: true, clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

async function serve(home = HOME): Promise<void> {
  const { store, holder } = bench.host;
  const pager: ServedPlatform = {
    ...{ platform: "pager", health: { state: "up" }, standby: false, takesHandoffs: true, home },
  };
  await store.gateways.heartbeat({
    ...{ id: "gw_1", holder, startedAt: clock.now(), configPath: null, platforms: [pager] },
  });
}

describe("hermes away", () => {
  test("sets where a session goes by itself, shows it and takes it back", async () => {
    await serve();
    const { id } = await bench.begin("plan");
    const set = await bench.hermes("away", "pager", "-s", "plan", "--rest", "90s");
    expect(set.stdout).toContain("or press no key for 90 s");
    expect(set.stdout).toContain(
      "this session goes to pager by itself, once. `hermes away --off -s plan` turns this off.",
    );
    const shown = await bench.hermes("away", "-s", "plan", "--json");
    const away = { to: { kind: "home", platform: "pager" }, restMs: 90_000, by: OPERATOR };
    expect(shown.json()).toEqual({ sessionId: id, away });
    expect((await bench.hermes("away", "-s", "plan", "--off")).stdout).toBe(
      "Away is off: the session stays where it is.\n",
    );
    expect((await bench.hermes("away", "-s", "plan", "--json")).json()).toEqual({ sessionId: id, away: null });
  });

  test.each([
    ["nowhere", /nowhere/],
    ["pager:work", /pager/],
    ["terminal", /not at the terminal/],
  ])("a place that nobody serves is refused when it is set: %s", async (where, why) => {
    await serve();
    const { id } = await bench.begin("plan");
    const { code, stderr } = await bench.hermes("away", where, "-s", "plan");
    expect(code).not.toBe(0);
    expect(stderr).toMatch(why);
    expect(await bench.host.store.away.get(id)).toBeNull();
  });

  test("a place is named as in a handoff, and one that is ambiguous is refused", async () => {
    await serve();
    const { id } = await bench.begin("plan");
    const at = (chatId: string) => ({ platform: "pager", chatId, kind: "group" }) as const;
    const named = (chatId: string, called: string, shared: boolean) => ({
      ...{ key: buildSessionKey(at(chatId)), conversation: at(chatId), called, shared },
    });
    const { places, away } = bench.host.store;
    const own = [named("1", "team", true), named("2", "club", false)];
    await places.configured({ platform: "pager", account: undefined }, own);
    for (const chatId of ["3", "4"]) {
      const conversation = at(chatId);
      const key = buildSessionKey(conversation);
      await places.note({ key, conversation, name: "General", word: "heard", person: null });
    }
    const set = (where: string) => bench.hermes("away", where, "-s", "plan", "--yes");
    expect((await set("pager/general")).stderr).toContain("pager/3, pager/4");
    expect((await set("pager/teem")).stderr).toContain("pager/team");
    for (const where of ["pager/club", "pager/3"]) expect((await set(where)).stderr).toContain("shared: true");
    expect(await away.get(id)).toBeNull();
    expect((await set("pager/team")).stdout).toContain("this session goes to pager/team by itself");
    expect((await away.get(id))?.to).toMatchObject({ kind: "conversation", name: "team" });
  });

  test("a place that others read needs `shared: true`, and a word that it is meant", async () => {
    const { id } = await bench.begin("plan");
    await serve({ ...HOME, kind: "group", name: "Team" });
    expect((await bench.hermes("away", "pager", "-s", "plan", "--yes")).stderr).toContain("shared: true");
    await serve({ ...HOME, kind: "group", name: "Team", shared: true });
    const asked = await bench.hermes("away", "pager", "-s", "plan");
    expect(asked.stderr).toContain("Everybody in Team would be able to read this session");
    expect(await bench.host.store.away.get(id)).toBeNull();
    expect((await bench.hermes("away", "pager", "-s", "plan", "--yes")).code).toBe(0);
    expect(await bench.host.store.away.get(id)).not.toBeNull();
  });

  test.each(["10", "59s", "0m", "25h", "soon"])("a time such as %s is refused", async (rest) => {
    await bench.begin("plan");
    expect((await bench.hermes("away", "pager", "-s", "plan", "--rest", rest)).code).toBe(2);
  });
});

describe("/away in the chat", () => {
  test("it is set, shown and taken back, with or without a session", async () => {
    await serve();
    const chat = bench.start([]);
    chat.type("/away");
    chat.type("/away pager --rest 5m");
    chat.type("/away");
    chat.type("/status");
    chat.type("/away off");
    chat.type("/away off");
    chat.type("/away --rest 5m");
    chat.end();
    expect(await chat.ended).toBe(1);
    expect(chat.stdout()).toMatch(/^This session goes nowhere by itself\. `\/away <place>`/);
    expect(chat.stdout().match(/press no key for 5 min/g)).toHaveLength(2);
    expect(chat.stdout()).toContain("goes to pager by itself when its terminal is left or rests for 5 min");
    expect(chat.stdout()).toMatch(/Away is off: this session stays here\.\nAway was not set\.\n$/);
    expect(chat.stderr()).toContain("Say where to, such as `/away <place> --rest 10m`");
  });

  test("leaving the terminal says what becomes of the session, and counts as seen", async () => {
    await serve();
    bench.model.push("It is done.");
    const chat = bench.start([], { interactive: true });
    chat.type("one");
    await chat.printed("It is done.");
    chat.type("/away pager");
    await chat.printed("by itself, once");
    await clock.advance(5_000);
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(chat.stderr()).toContain("Nothing of this session runs any more, so it stays here");
    const [session] = await bench.host.store.sessions.find("one", { kind: "all" });
    if (session === undefined) throw new Error("no session began");
    expect((await bench.host.store.away.get(session.id))?.seenAt).toBe(clock.now());
    const { store, holder } = bench.host;
    await store.leases.acquire("account:pager:", holder, 15_000);
    expect(await store.away.go({ platform: "pager", account: undefined }, holder, 60_000)).toEqual([]);
  });

  /** A chat whose session goes to the pager by itself, while a turn runs until `held` is opened. */
  async function whileTurnRuns({ plain = false } = {}) {
    await serve();
    const held = gate();
    bench.model.push([{ say: "Half " }, { hold: held }, { say: "and done." }]);
    const chat = bench.start([], { interactive: true, plain });
    await chat.printed("/help lists the commands");
    chat.type("/away pager");
    await chat.printed("by itself, once");
    chat.type("one");
    await held.reached;
    await clock.advance(5_000);
    const { store, holder } = bench.host;
    await store.leases.acquire("account:pager:", holder, 60_000);
    const go = () => store.away.go({ platform: "pager", account: undefined }, holder, 60_000);
    return { chat, held, go };
  }

  test.each(["Ctrl-D", "/quit", "Ctrl-D without a screen"])(
    "a turn that ends after %s has left takes the session along",
    async (key) => {
      const { chat, held, go } = await whileTurnRuns({ plain: key.endsWith("screen") });
      if (key === "/quit") chat.type("/quit");
      else if (key === "Ctrl-D") chat.press("\u0004");
      else chat.end();
      await clock.advance(5_000);
      expect(await go()).toEqual([]);
      held.open();
      expect(await chat.ended).toBe(0);
      expect(chat.stdout()).toContain("and done.");
      expect(chat.stderr()).toContain("This session goes to pager now: its turn has ended since you left.");
      expect(await go()).toMatchObject([{ isAway: true, state: "pending" }]);
    },
  );

  test("a turn that somebody stops after /quit was seen, and the session stays", async () => {
    const { chat, go } = await whileTurnRuns();
    chat.type("/quit");
    await clock.advance(5_000);
    chat.press("\u0003");
    expect(await chat.ended).toBe(0);
    expect(chat.stderr()).toContain("so it stays here");
    expect(await go()).toEqual([]);
  });

  test("a session that the terminal leaves for another one was seen until then", async () => {
    const { id } = await bench.begin("plan");
    await bench.host.store.away.set(id, { to: homeOf("pager"), restMs: 60_000, by: OPERATOR });
    await clock.advance(5_000);
    const chat = bench.start(["chat", "-s", "plan"]);
    chat.type("/new");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect((await bench.host.store.away.get(id))?.seenAt).toBe(clock.now());
  });
});
