import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { newCode } from "../../model/code.ts";
import { OPERATOR, type UserId } from "../../model/session.ts";
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

describe("hermes people", () => {
  test("only whoever used a pass for anyone is listed as a guest", async () => {
    await served([], [], "/project/hermes.config.ts");
    const { codes, sessions } = bench.host.store;
    const { id } = await sessions.create({ title: "plan", user: OPERATOR, origin: "terminal", originChat: null });
    for (const [key, person] of [
      ["eve", null],
      ["ada", OPERATOR],
    ] as const) {
      const code = newCode();
      const pass = { code, kind: "pass", person, sessionId: id, who: null, issuer: OPERATOR, ttlMs: 60_000 } as const;
      await codes.create(pass);
      const conversation = { platform: "pager", chatId: key, kind: "dm" } as const;
      const who = { ...PAGER, key, id: key, name: key, conversation, surface: buildSessionKey(conversation) };
      const user = person === null ? null : OPERATOR;
      expect(await codes.redeem({ code, who, user, messageId: key, mirrors: false, outbox: [] })).toMatchObject({
        ok: true,
      });
    }
    const { stdout } = await bench.hermes("people");
    expect(stdout.match(/guest on pager: pass \d+ to “plan”/g)).toEqual(["guest on pager: pass 1 to “plan”"]);
  });

  test("lists everybody, with where each right comes from and how it is taken back", async () => {
    await served(["bob", "eve"], ["carl", "*"], "/project/hermes.config.ts");
    const bob = await added("Bob", "member", "bob");
    await bench.host.store.sessions.create({ title: "plan", user: bob, origin: "terminal", originChat: null });
    const { stdout, code } = await bench.hermes("people");
    expect(code).toBe(0);
    expect(stdout).toContain("operator on pager: the private home channel Kitchen\n");
    expect(stdout).toContain("`hermes home operator pager <id>` records somebody else there.");
    expect(stdout).toContain("member everywhere: their role here\n");
    expect(stdout).toContain('`hermes people remove "Bob"` removes them.');
    expect(stdout).toContain("operator on pager: operators in /project/hermes.config.ts\n");
    expect(stdout).toContain('Take "eve" out of operators in /project/hermes.config.ts');
    expect(stdout).toContain("everybody on pager\n     member on pager: allowedUsers in /project/hermes.config.ts");
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
    expect(stdout).toContain(`eve\n     pager eve\n     operator on pager: plugins[0] operators in ${file}\n`);
    expect(stderr).toContain(`No gateway serves pager at the moment: what is said of it is what ${file} has.`);
    const refused = await bench.hermes("people", "remove", "eve", "--yes", "--config", file);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(`Take "eve" out of plugins[0] operators in ${file}`);
  });

  test("shows the ids of a person, and whom an earlier version had joined", async () => {
    const strong = (id: string) => ({ id, strength: "strong" }) as const;
    const ids = [{ id: "+1", strength: "weak" } as const, strong("US.1"), strong("US.9")];
    await bench.host.store.identities.adopt(PAGER, [{ key: "+1", ids }]);
    expect((await bench.hermes("status")).stdout).toContain("had taken for those of one person are parted");
    const { stdout } = await bench.hermes("people", "show", "US.1");
    expect(stdout).toContain("US.1  (stays theirs; since ");
    expect((await bench.hermes("people")).stdout).toContain("An earlier version took these for one person");
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
    const again = await bench.hermes("people", "unlink", "pager", "bob2", "--yes");
    expect(again.stderr).toContain("bob2 of pager is linked to nobody.");
    const { stdout, stderr } = await bench.hermes("people", "remove", "Bob", "--yes");
    expect(stdout).toContain("Bob is removed; what ran for them is asked to stop.");
    expect(stderr).toContain("bob is still operator on pager, by operators in /project/hermes.config.ts.");
    expect(await people().list()).toHaveLength(1);
    const operator = await bench.hermes("people", "remove", "operator", "--yes");
    expect(operator.stderr).toContain("The person at the terminal is always there");
    expect(await people().get(OPERATOR)).not.toBeNull();
  });
});
