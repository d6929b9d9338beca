import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it } from "vitest";
import type { Conversation } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { OPERATOR } from "../../model/session.ts";

const at = (chatId: string, kind: "dm" | "group" = "dm"): Conversation => ({ platform: "loopback", chatId, kind });
const HOME = at("home");
const TEAM = at("team", "group");
const EVE = at("dm-eve");
const SECRET = "sk-abcdefghijklmnopqrstuvwx";
const LINES = Array.from({ length: 30 }, (_, line) => `line ${line}`);

const folders: string[] = [];
afterEach(async () => {
  await disposeMachines();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const write = (path: string, content: string) => ({ call: [{ name: "write", input: { path, content } }] });

/** A session of the terminal in whose one turn the agent wrote two files, and what a gateway lets adapters read. */
async function worked() {
  const folder = mkdtempSync(join(tmpdir(), "hermes-history-"));
  folders.push(folder);
  const on = machine({ operators: ["person"], allowedUsers: ["eve"] }, [
    [
      { say: "I write it." },
      write("long.txt", LINES.join("\n")),
      write("key.txt", `the key is ${SECRET}`),
      { call: [{ name: "read", input: { path: "missing.txt" } }] },
      { say: "Written." },
    ],
  ]);
  const { host } = await on.gateway();
  const { store, runner } = host;
  const { id } = await store.sessions.create({
    ...{ title: "Plan", user: OPERATOR, origin: "terminal", originChat: null, workingDirectory: folder, mode: "edits" },
  });
  const result = await runner.run({
    ...{ sessionId: id, cause: { kind: "terminal" }, surface: "terminal", tools: true },
    message: { role: "user", text: "Write *it*" },
  });
  for (const conversation of [HOME, TEAM, EVE]) {
    await store.bindings.bind({ key: buildSessionKey(conversation), conversation, sessionId: id, mirrors: true });
  }
  const [events] = [...on.platform.listening];
  const history = events?.history;
  if (history === undefined || !("turn" in result)) throw new Error("there is nothing to read");
  return { ...on, store, holder: host.holder, sessionId: id, turnId: result.turn.id, history };
}

it("the operator's private chat sees the calls of a turn that ran in the terminal", async () => {
  const { history, turnId } = await worked();
  const [turn, ...others] = await history.calls(HOME, [turnId, turnId, "tur_unknown"]);
  expect(others).toEqual([]);
  expect(turn).toMatchObject({ turnId, isOpen: false });
  expect(turn?.calls.map(({ name, state }) => `${name} ${state}`)).toEqual(["write done", "write done", "read failed"]);
  const [long, key] = turn?.calls ?? [];
  expect(long?.summary).toMatch(/^long\.txt/);
  expect(long?.endedAt).toBeGreaterThanOrEqual(long?.beganAt ?? Number.NaN);
  expect(long?.outcome).toMatchObject({ kind: "diff", folded: 20 });
  expect(long?.outcome?.lines.slice(0, 2)).toEqual(["@@ -1,0 +1,30 @@", "+line 0"]);
  expect(key?.outcome?.lines.join()).toContain("+the key is [redacted]");
  const whole = await history.outcome(HOME, turnId, long?.id ?? "");
  expect(whole).toMatchObject({ kind: "diff", folded: 0 });
  expect(whole?.lines).toContain("+line 29");
  expect(await history.outcome(HOME, turnId, "9.9")).toBeNull();
});

it("no group, and nobody who is no operator, sees calls or what they put out", async () => {
  const { history, turnId, platform, until, store } = await worked();
  const nothing = async (conversation: Conversation) => {
    expect(await history.calls(conversation, [turnId])).toEqual([]);
    expect(await history.outcome(conversation, turnId, "1.1")).toBeNull();
  };
  await nothing(TEAM);
  await nothing(EVE);
  await platform.write("Hello", { chatId: "dm-eve", sender: { id: "eve" } });
  await until(() => platform.textsIn("dm-eve").length > 0);
  await nothing(EVE);
  await platform.write("Hello", { chatId: "dm-ada", sender: { id: "person" } });
  await until(async () => (await store.places.get(buildSessionKey(at("dm-ada"))))?.person != null);
  expect(await history.calls(at("dm-ada"), [turnId])).toHaveLength(1);
});

it("a page reads earlier messages in parts, with calls where they may be seen", async () => {
  const { history, sessionId, store, holder } = await worked();
  const first = await history.earlier(HOME, sessionId, 1_000);
  expect(first?.before).toBeNull();
  expect(first?.messages.map(({ author, place, markdown, calls }) => [author, place, markdown, calls.length])).toEqual([
    ["user", "in the terminal", "Write \\*it\\*", 0],
    ["agent", null, "I write it.", 1],
    ["agent", null, "", 1],
    ["agent", null, "", 1],
    ["agent", null, "Written.", 0],
  ]);
  const inTeam = await history.earlier(TEAM, sessionId, 1_000);
  expect(inTeam?.messages.map(({ markdown, calls }) => [markdown, calls.length])).toEqual([
    ["Write \\*it\\*", 0],
    ["I write it.", 0],
    ["Written.", 0],
  ]);
  const started = await store.turns.startTurn({
    ...{ sessionId, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000 },
    message: { role: "user", text: "count" },
  });
  if (!started.ok) throw new Error("no turn");
  const counted = Array.from({ length: 150 }, (_, count) => `${count}`);
  const { turn, fence } = started;
  await store.turns.append(
    turn.id,
    fence,
    counted.map((text) => ({ role: "assistant", text })),
  );
  const seen: string[] = [];
  for (let before: number | null = 10_000; before !== null; ) {
    const part = await history.earlier(HOME, sessionId, before);
    seen.unshift(...(part?.messages ?? []).map(({ markdown }) => markdown));
    before = part?.before ?? null;
  }
  expect(seen.slice(0, 2)).toEqual(["Write \\*it\\*", "I write it."]);
  expect(seen.slice(-150)).toEqual(counted);
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [] });
  await store.sessions.delete(sessionId);
  expect(await history.earlier(HOME, sessionId, 1_000)).toBeNull();
});

it("a private home that others have come into reads nothing said before, and no call", async () => {
  const { history, platform, sessionId, turnId } = await worked();
  expect((await history.earlier(HOME, sessionId, 1_000))?.messages).not.toEqual([]);
  for (const people of [["person", "mallory"], ["mallory"], []]) {
    platform.people = people;
    expect(await history.earlier(HOME, sessionId, 1_000)).toBeNull();
    expect(await history.calls(HOME, [turnId])).toEqual([]);
    expect(await history.outcome(HOME, turnId, "1.1")).toBeNull();
  }
});
