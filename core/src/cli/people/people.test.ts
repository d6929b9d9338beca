import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { newCode } from "../../model/code.ts";
import { OPERATOR, type SessionId, type UserId } from "../../model/session.ts";
import { accountLease } from "../../store/work-stores.ts";
import { installPager, PAGER_TOKEN } from "../init/test-pager.ts";
import { createTestBench } from "../test-bench.ts";

const PAGER = { platform: "pager", account: undefined };
const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const people = () => bench.host.store.people;

async function added(name: string, role: "operator" | "member", ...keys: string[]): Promise<UserId> {
  const { id } = await people().add({ name, role });
  for (const key of keys) await people().link({ ...PAGER, key }, id, "code", name);
  return id;
}

/** A gateway that serves the pager, with these grants. */
async function served(operators: string[], allowedUsers: string[], configPath: string): Promise<void> {
  const { store, holder } = bench.host;
  const chat = buildSessionKey({ platform: "pager", chatId: "7", kind: "dm" });
  await store.leases.acquire(accountLease("pager", undefined), holder, 60_000);
  const home = { chatId: "7", chat };
  await store.grants.publish({ ...PAGER, operators, allowedUsers, allowedBots: [], home }, holder);
  const seen = { ...PAGER, home: "7", chat, name: "Kitchen", isPrivate: true, present: ["ada"], isFixed: true };
  await store.homePeople.see(seen);
  await store.bindings.setHome("pager", undefined, { chatId: "7" });
  const platform = {
    platform: "pager",
    health: { state: "up" },
    standby: false,
    takesHandoffs: true,
    home: null,
  } as const;
  await store.gateways.heartbeat({ id: "gw", holder, startedAt: clock.now(), configPath, platforms: [platform] });
}

interface TakenPass {
  readonly sessionId: SessionId;
  readonly key: string;
  readonly name: string;
  readonly person: UserId | null;
}

/** A pass that an account of the pager has used. */
async function passTaken({ sessionId, key, name, person }: TakenPass): Promise<void> {
  const { codes } = bench.host.store;
  const code = newCode();
  await codes.create({ code, kind: "pass", person, sessionId, who: null, issuer: OPERATOR, ttlMs: 60_000 });
  const conversation = { platform: "pager", chatId: key, kind: "dm" } as const;
  const who = { ...PAGER, key, id: key, name, conversation, surface: buildSessionKey(conversation) };
  expect(await codes.redeem({ code, who, user: person, messageId: key, mirrors: false, outbox: [] })).toMatchObject({
    ok: true,
  });
}

describe("hermes people", () => {
  test("only whoever used a pass for anyone is listed as a guest", async () => {
    await served([], [], "/project/hermes.config.ts");
    const { sessions } = bench.host.store;
    const { id } = await sessions.create({ title: "plan", user: OPERATOR, origin: "terminal", originChat: null });
    for (const [key, person] of [
      ["eve", null],
      ["ada", OPERATOR],
    ] as const) {
      await passTaken({ sessionId: id, key, name: key, person });
    }
    const { stdout } = await bench.hermes("people");
    expect(stdout.match(/.*pass \d+ to “plan”.*/g)?.map((line) => line.replaceAll(/ +/g, " "))).toEqual([
      "eve │ guest │ pager │ pass 1 to “plan” │",
    ]);
  });

  test("lists everybody, with where each right comes from and how it is taken back", async () => {
    await served(["bob", "eve"], ["carl", "*"], "/project/hermes.config.ts");
    const bob = await added("Bob", "member", "bob");
    await bench.host.store.sessions.create({ title: "plan", user: bob, origin: "terminal", originChat: null });
    const { stdout, code } = await bench.hermes("people");
    expect(code).toBe(0);
    // In a pipe each right is one line, however long.
    expect(stdout).toBe(
      [
        "Name               │ Is       │ Where      │ By                                        │ Seen",
        "───────────────────┼──────────┼────────────┼───────────────────────────────────────────┼─────",
        "you                │ operator │ everywhere │ the person at the terminal                │",
        "you                │ operator │ pager      │ the private home channel Kitchen          │",
        "Bob                │ member   │ everywhere │ their role here                           │",
        "Bob                │ operator │ pager      │ operators in /project/hermes.config.ts    │",
        "eve                │ operator │ pager      │ operators in /project/hermes.config.ts    │",
        "carl               │ member   │ pager      │ allowedUsers in /project/hermes.config.ts │",
        "everybody on pager │ member   │ pager      │ allowedUsers in /project/hermes.config.ts │",
        "",
      ].join("\n"),
    );
    const shown = async (name: string) => (await bench.hermes("people", "show", name)).stdout;
    expect(await shown("you")).toContain("`hermes home operator pager <id>` records somebody else there.");
    expect(await shown("Bob")).toContain('`hermes people remove "Bob"` removes them.');
    expect(await shown("eve")).toContain('Take "eve" out of operators in /project/hermes.config.ts');
    const { json } = await bench.hermes("people", "--json");
    expect(json().people.map(({ name, role, sessions }: Record<string, unknown>) => [name, role, sessions])).toEqual([
      ["operator", "operator", 0],
      ["Bob", "member", 1],
      ["eve", null, 0],
      ["carl", null, 0],
      ["everybody on pager", null, 0],
    ]);
    expect(json().people[1].rights.map(({ from, grants }: Record<string, unknown>) => [from, grants])).toEqual([
      ["role", "member"],
      ["config", "operator"],
    ]);
    expect(json().people[0].identities).toMatchObject([{ platform: "pager", key: "ada", word: "home" }]);
  });

  test("names the line of the config here where no gateway serves the account", async () => {
    installPager(bench.folder);
    const file = join(bench.folder, "mine.json");
    writeFileSync(
      file,
      JSON.stringify({ plugins: [["hermes-plugin-pager", { token: PAGER_TOKEN, operators: ["eve"] }]] }),
    );
    const { stdout, stderr } = await bench.hermes("people", "--config", file);
    expect(stdout).toMatch(new RegExp(`^eve +│ operator │ pager +│ plugins\\[0\\] operators in ${file} │$`, "m"));
    expect(stderr).toContain(`No gateway serves pager at the moment: what is said of it is what ${file} has.`);
    const refused = await bench.hermes("people", "remove", "eve", "--yes", "--config", file);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(`Take "eve" out of plugins[0] operators in ${file}`);
  });

  test("shows the ids of a person, and whom an earlier version had joined", async () => {
    const strong = (id: string) => ({ id, strength: "strong" }) as const;
    const ids = [{ id: "+1", strength: "weak" } as const, strong("US.1"), strong("US.9")];
    await bench.host.store.identities.adopt(PAGER, [{ key: "+1", ids }]);
    expect((await bench.hermes("status")).stdout).toContain("attributed to one person are separate now");
    const { stdout } = await bench.hermes("people", "show", "US.1");
    expect(stdout).toContain("US.1  (permanent; since ");
    expect((await bench.hermes("people")).stderr).toContain("An earlier version treated these as one person");
    const unknown = await bench.hermes("people", "show", "nobody");
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no person nobody.") });
  });

  test("adds a member at once, and an operator once that was confirmed", async () => {
    expect((await bench.hermes("people", "add", "Bob")).stdout).toContain("Bob is a member from now on");
    const unasked = await bench.hermes("people", "add", "Ada", "--role", "operator");
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("pass `--yes`") });
    const refused = bench.start(["people", "role", "bob", "operator"], { interactive: true });
    await refused.printed("Make Bob an operator?");
    refused.type("");
    expect(await refused.ended).toBe(1);
    expect(await people().find("Bob")).toMatchObject([{ role: "member" }]);
    const { json } = await bench.hermes("people", "role", "Bob", "operator", "--yes", "--json");
    expect(json()).toMatchObject({ name: "Bob", role: "operator", identities: [] });
    const taken = await bench.hermes("people", "add", "BOB");
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining("Somebody is called BOB already.") });
    expect(await bench.hermes("people", "role", "Bob", "king")).toMatchObject({ code: 2 });
    await bench.hermes("people", "rename", "Bob", "Robert");
    expect(await people().find("Robert")).toHaveLength(1);
  });

  test("removes a person once that was confirmed, and says what the config still grants", async () => {
    await served(["bob"], [], "/project/hermes.config.ts");
    await added("Bob", "member", "bob", "bob2");
    const refused = bench.start(["people", "remove", "Bob"], { interactive: true });
    await refused.printed("Remove Bob? pager bob, pager bob2 will be nobody's.");
    refused.type("no");
    expect(await refused.ended).toBe(1);
    const unlinked = await bench.hermes("people", "unlink", "pager", "bob2", "--yes", "--json");
    expect(unlinked.json()).toMatchObject({ platform: "pager", account: null, key: "bob2", linked: false });
    expect(unlinked.json().lost).toEqual({ identities: 1, passes: 0, turns: 0 });
    const again = await bench.hermes("people", "unlink", "pager", "bob2", "--yes");
    expect(again.stderr).toContain("bob2 of pager is linked to nobody.");
    const { stdout, stderr } = await bench.hermes("people", "remove", "Bob", "--yes");
    expect(stdout).toContain("Bob is removed.\n1 identity unlinked.\n");
    expect(stderr).toContain("bob is still operator on pager, by operators in /project/hermes.config.ts.");
    expect(await people().list()).toHaveLength(1);
    const operator = await bench.hermes("people", "remove", "operator", "--yes");
    expect(operator.stderr).toContain("The person at the terminal is always there");
    expect(await people().get(OPERATOR)).not.toBeNull();
  });

  test("an account that is unlinked from you keeps only what is granted on it", async () => {
    await served([], [], "/project/hermes.config.ts");
    const { store, holder } = bench.host;
    const work = { platform: "pager", account: "work" };
    await store.leases.acquire(accountLease("pager", "work"), holder, 60_000);
    await store.grants.publish({ ...work, operators: ["eve"], allowedUsers: [], allowedBots: [], home: null }, holder);
    await people().link({ ...work, key: "eve" }, OPERATOR, "code", null);
    // Who is in the private home channel.
    await people().link({ ...PAGER, key: "ada" }, OPERATOR, "code", null);
    const { stdout, stderr } = await bench.hermes("people", "unlink", "pager", "ada", "--yes");
    expect(stdout).toContain("ada of pager is not you any more.\n");
    expect(stderr).toContain("ada is still operator on pager, by the private home channel Kitchen.");
    expect(stderr).not.toContain("pager:work");
  });

  test("finds the operator by the name that a pass in use prints, and by `you`", async () => {
    await served([], [], "/project/hermes.config.ts");
    await bench.host.store.people.link({ ...PAGER, key: "ada" }, OPERATOR, "code", null);
    const { id } = await bench.host.store.sessions.create({
      title: "plan",
      user: OPERATOR,
      origin: "terminal",
      originChat: null,
    });
    await passTaken({ sessionId: id, key: "ada", name: "Ada Lovelace", person: OPERATOR });
    expect((await bench.hermes("passes")).stdout).toContain("in use by Ada Lovelace on pager (ada)");
    for (const name of ["ada lovelace", "you", "ada", "operator"]) {
      expect((await bench.hermes("people", "show", name, "--json")).json().id, name).toBe(OPERATOR);
    }
    expect((await bench.hermes("people", "show", "you")).stdout).toContain("you  operator, at the terminal\n");
  });

  test("removing somebody says which passes of theirs are revoked, before and after", async () => {
    const ada = await added("Ada", "operator", "ada");
    const { sessions, codes } = bench.host.store;
    const { id } = await sessions.create({ title: "plan", user: OPERATOR, origin: "terminal", originChat: null });
    for (const issuer of [ada, OPERATOR]) {
      await codes.create({
        ...{ code: newCode(), kind: "pass", person: null, sessionId: id, who: null },
        issuer,
        ttlMs: 60_000,
      });
    }
    const asked = bench.start(["people", "remove", "Ada"], { interactive: true });
    await asked.printed("A pass of theirs will be revoked.");
    asked.type("y");
    expect(await asked.ended).toBe(0);
    expect(asked.stdout()).toContain("1 identity unlinked, 1 pass revoked.");
    expect(await codes.list("pass")).toHaveLength(1);
  });

  test("a long name and a long path wrap within their columns on a screen", async () => {
    await served(
      [],
      [],
      "/a/path/that/is/much/longer/than/any/screen/of/eighty/columns/would/ever/show/hermes.config.ts",
    );
    await added("Bob".repeat(20), "member");
    await served(
      ["eve"],
      [],
      "/a/path/that/is/much/longer/than/any/screen/of/eighty/columns/would/ever/show/hermes.config.ts",
    );
    const run = bench.start(["people"], { interactive: true });
    expect(await run.ended).toBe(0);
    const lines = run
      .stdout()
      .split("\n")
      .filter((line) => line.includes("│"));
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect([...line].length, line).toBeLessThanOrEqual(100);
  });
});
