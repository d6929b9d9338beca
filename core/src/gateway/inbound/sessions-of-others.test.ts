import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { OPERATOR } from "../../model/session.ts";

afterEach(disposeMachines);
const dm = (id: string) => ({ platform: "loopback", chatId: `dm-${id}`, kind: "dm" }) as const;

/** A session of the operator's with two exchanges, which a member is in by a pass. */
async function withMember() {
  const on = machine({ operators: ["op"], allowedUsers: ["mem"] });
  const { store, runner, holder } = (await on.gateway()).host;
  const plan = await store.sessions.create({ title: "Plan", user: OPERATOR, origin: "terminal", originChat: null });
  for (const text of ["The secret plan", "More of it"]) {
    const message = { role: "user", text } as const;
    await runner.run({ sessionId: plan.id, cause: { kind: "terminal" }, surface: "terminal", message, tools: false });
  }
  const said = (id: string) => on.platform.textsIn(`dm-${id}`);
  const until = async (isSo: () => boolean | Promise<boolean>, times = 20): Promise<void> => {
    if (times <= 1) return on.until(isSo);
    await on.until(isSo).catch(() => until(isSo, times - 1));
  };
  const writes = async (id: string, text: string) => {
    const before = said(id).length;
    await on.platform.write(text, { chatId: `dm-${id}`, sender: { id, name: id } });
    await until(() => said(id).length > before);
    return said(id).slice(before).join("\n---\n");
  };
  await writes("op", "/resume Plan");
  const code = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(await writes("op", "/pass --anyone"))?.[0] ?? "";
  await writes("mem", code);
  return { ...on, holder, store, plan, said, writes };
}

describe("a member who is in the session of somebody else by a pass", () => {
  it("can neither change it nor copy it", async () => {
    const on = await withMember();
    const commands = ["/fork", "/rewind", "/rewind 1 yes", "/undo", "/retry", "/title Gone"];
    for (const command of commands) {
      expect([command, await on.writes("mem", command)]).toEqual([
        command,
        expect.stringMatching(/^You may not do that/),
      ]);
    }
    expect(await on.store.sessions.get(on.plan.id)).toMatchObject({ title: "Plan", messageCount: 4 });
    expect(await on.store.sessions.count()).toBe(1);
  });

  it("stops no turn of it but their own", async () => {
    const on = await withMember();
    const message = { role: "user", text: "Hello", surface: "terminal" } as const;
    const turn = { cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000, message } as const;
    await on.store.turns.startTurn({ ...turn, sessionId: on.plan.id, holder: on.holder });
    expect(await on.writes("mem", "/stop")).toBe("Nothing is running in this session.");
    expect(await on.store.turns.running(on.plan.id)).toMatchObject({ stopRequested: false });
  });

  it("reads no title of it in /usage once the pass is over", async () => {
    const on = await withMember();
    await on.writes("mem", "Hello there");
    expect(await on.writes("mem", "/usage session")).toContain("| Plan |");
    for (const { number } of await on.store.codes.list("pass")) await on.store.codes.revoke(number);
    await on.store.sessions.setTitle(on.plan.id, "A secret title");
    for (const by of ["turn", "session"]) {
      expect(await on.writes("mem", `/usage ${by}`)).toContain("| a session of somebody else |");
    }
    expect(on.said("mem").join()).not.toContain("secret title");
  });

  it("changes and copies what they began themselves", async () => {
    const on = await withMember();
    await on.writes("mem", "/new");
    await on.writes("mem", "My plan");
    expect(await on.writes("mem", "/title Mine")).toContain("Mine");
    expect(await on.writes("mem", "/fork")).toContain("Mine (fork)");
    expect(await on.writes("mem", "/rewind 1 yes")).toContain("taken back");
  });
});

describe("a copy of a session that somebody else began", () => {
  it("stays with no operator of the config who is one no more", async () => {
    const on = await withMember();
    expect(await on.writes("op", "/fork")).toContain("Plan (fork)");
    const { sessionId } = (await on.store.bindings.get(buildSessionKey(dm("op")))) ?? {};
    expect(sessionId).not.toBe(on.plan.id);
    expect((await on.store.sessions.get(sessionId ?? on.plan.id))?.user).toBe(OPERATOR);
  });
});
