import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { type CodeSender, newCode, readCode, shownCode } from "../../model/code.ts";
import { OPERATOR } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock, otherwise: () => "Yes." }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const conversation = { platform: "pager", chatId: "7", kind: "dm" } as const;
const EVE: CodeSender = {
  ...{ platform: "pager", account: undefined, key: "eve", id: "eve", name: "Eve", conversation },
  surface: buildSessionKey(conversation),
};

const people = () => bench.host.store.people;
const ownerOf = async ({ key }: CodeSender) => (await people().of(EVE, key))?.id ?? null;

let messages = 0;
function send(code: string, who = EVE) {
  const request = { code: readCode(code) ?? "", who, user: null, messageId: `m${++messages}` };
  return bench.host.store.codes.redeem({ ...request, mirrors: false, outbox: [] });
}

/** What waits to be said in the chat of the account. */
async function told(): Promise<string | undefined> {
  return (await bench.host.store.outbox.head(EVE.surface))?.message.markdown;
}

/** A code that is claimed while no terminal waits for it. */
async function claimed(): Promise<string> {
  const { code } = (await bench.hermes("link", "--json")).json();
  await send(code);
  return code;
}

/** As /link in a chat gives it. */
async function fromChat(): Promise<string> {
  const code = newCode();
  const made = { code, issuer: OPERATOR, person: null, sessionId: null, who: EVE, ttlMs: 600_000 };
  await bench.host.store.codes.create({ ...made, kind: "link" });
  return shownCode(code);
}

describe("hermes link", () => {
  test("hermes link shows who sent its code, and links the account on yes", async () => {
    const run = bench.start(["link"], { interactive: true });
    await run.printed("within 10 min: ");
    const code = /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(run.stdout())?.[0] ?? "";
    await send(code);
    await clock.advance(1_000);
    await run.printed("Is this you? (y/n)");
    expect(run.stdout()).toMatch(/Platform: pager\n.*Eve\n.*eve\nAs an operator, they see every session/);
    run.type("y");
    expect(await run.ended).toBe(0);
    expect(await ownerOf(EVE)).toBe(OPERATOR);
    expect(await told()).toMatch(/^Linked: /);
    expect(run.stdout()).toContain("Eve on pager is you from now on.");
  });

  test.each(["", "n", "perhaps"])("anything but yes links nothing, and the code is over: %j", async (answer) => {
    const code = await claimed();
    const run = bench.start(["link", code], { interactive: true });
    await run.printed("Is this you?");
    run.type(answer);
    expect(await run.ended).toBe(1);
    expect(await ownerOf(EVE)).toBeNull();
    expect(await told()).toBeUndefined();
    expect((await bench.hermes("link", code, "--yes")).stderr).toContain("This code is not valid.");
  });

  test("a claim waits for the next terminal, where the chat asks about it", async () => {
    await claimed();
    const chat = bench.start([], { interactive: true });
    await chat.printed("Is this you? (y/n)");
    chat.type("yes");
    await chat.printed("Eve on pager is you from now on.");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(await ownerOf(EVE)).toBe(OPERATOR);
  });

  test("a chat that is open asks as soon as somebody sent the code that /link gave", async () => {
    const chat = bench.start([], { interactive: true });
    await chat.printed("/quit leaves");
    chat.type("/link");
    await chat.printed("This terminal asks whether it is you.");
    await send(/[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(chat.stdout())?.[0] ?? "");
    await clock.advance(1_000);
    await chat.printed("Is this you? (y/n)");
    chat.type("y");
    await chat.printed("is you from now on");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(await ownerOf(EVE)).toBe(OPERATOR);
  });

  test("a script shows who sent the code, and links with --yes", async () => {
    const { code } = (await bench.hermes("link", "--json")).json();
    expect((await bench.hermes("link", code, "--json")).json()).toMatchObject({ state: "open", account: null });
    await send(code);
    const asked = await bench.hermes("link", "--code", code, "--json");
    expect(asked.code).toBe(75);
    expect(asked.json()).toMatchObject({ state: "unanswered", account: { platform: "pager", id: "eve", name: "Eve" } });
    expect(await ownerOf(EVE)).toBeNull();
    const linked = await bench.hermes("link", "--code", code, "--yes", "--json");
    expect(linked).toMatchObject({ code: 0 });
    expect(linked.json()).toMatchObject({ state: "linked", person: { id: "operator" } });
    expect(await ownerOf(EVE)).toBe(OPERATOR);
  });

  test("a code that /link gave in a chat links that account, to whomever the line names", async () => {
    const ada = await people().add({ name: "Ada", role: "member" });
    const code = await fromChat();
    const run = bench.start(["link", code.toLowerCase(), "--person", "ada"], { interactive: true });
    await run.printed("Is this Ada? (y/n)");
    run.type("y");
    expect(await run.ended).toBe(0);
    expect(await ownerOf(EVE)).toBe(ada.id);
    expect(await people().get(ada.id)).toMatchObject({ role: "member", identities: [{ key: "eve", word: "code" }] });
  });

  test("an account that is somebody's already is not asked about", async () => {
    const ada = await people().add({ name: "Ada", role: "member" });
    await people().link(EVE, ada.id, "terminal", "Eve");
    const refused = await bench.hermes("link", await claimed(), "--yes");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("eve on pager is Ada's.") });
    expect(await ownerOf(EVE)).toBe(ada.id);
  });

  test("the right that the config gives an account is said, and holds after yes", async () => {
    const { store, holder } = bench.host;
    await store.leases.acquire("account:pager:", holder, 60_000);
    const grants = { platform: "pager", account: undefined, allowedUsers: [], allowedBots: [], home: null };
    await store.grants.publish({ ...grants, operators: ["eve"] }, holder);
    const ada = await people().add({ name: "Ada", role: "member" });
    const run = bench.start(["link", await fromChat(), "--person", "Ada"], { interactive: true });
    await run.printed("from then on Ada is one on every platform.");
    run.type("y");
    expect(await run.ended).toBe(0);
    expect(await people().get(ada.id)).toMatchObject({ role: "operator" });
  });

  test("two terminals that ask about one code link once, by the first answer", async () => {
    const code = await claimed();
    const [first, second] = [1, 2].map(() => bench.start(["link", code], { interactive: true }));
    await Promise.all([first?.printed("Is this you?"), second?.printed("Is this you?")]);
    first?.type("n");
    expect(await first?.ended).toBe(1);
    second?.type("y");
    expect(await second?.ended).toBe(1);
    expect(second?.stderr()).toContain("This code is not valid.");
    expect(await ownerOf(EVE)).toBeNull();
  });

  test("a code that was typed in the chat stands in no file of the terminal", async () => {
    const code = await fromChat();
    const chat = bench.start([], { interactive: true });
    await chat.printed("/quit leaves");
    chat.type(`/link ${code}`);
    await chat.printed("Is this you?");
    chat.type("n");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    const { readFileSync, existsSync } = await import("node:fs");
    const file = `${bench.home}/chat-history`;
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").not.toContain(code);
  });
});

describe("hermes people requests", () => {
  const ask = (code = newCode()) =>
    bench.host.store.codes.requestPairing({ code, who: EVE, ttlMs: 86_400_000, outbox: [] });

  test("newcomers are listed with account, name and number, and never with their code", async () => {
    expect((await bench.hermes("people", "requests")).stdout).toBe("Nobody waits to be let in.\n");
    await ask();
    expect((await bench.hermes("people", "requests")).stdout).toContain("  1  Eve on pager (eve)  just now\n");
    expect((await bench.hermes("people", "requests", "--json")).json()).toEqual({
      requests: [
        {
          ...{ number: 1, state: "open", platform: "pager", account: null, id: "eve", name: "Eve" },
          ...{ createdAt: clock.now(), expiresAt: clock.now() + 86_400_000 },
        },
      ],
      claims: [],
    });
  });

  test("approving makes a person of the newcomer, who may talk and is told", async () => {
    await people().add({ name: "Eve", role: "operator" });
    const code = newCode();
    await ask(code);
    expect(await bench.hermes("people", "approve", "1")).toMatchObject({ code: 2 });
    const run = bench.start(["people", "approve", shownCode(code)], { interactive: true });
    await run.printed("Eve on pager (eve)");
    run.type("y");
    expect(await run.ended).toBe(0);
    expect(await people().of(EVE, "eve")).toMatchObject({
      name: "Eve 2",
      role: "member",
      identities: [{ key: "eve", word: "pairing" }],
    });
    expect(await told()).toContain("The operator has let you in");
    expect(await bench.hermes("people", "approve", "1", "--yes")).toMatchObject({ code: 1 });
  });

  test("denying tells the newcomer nothing", async () => {
    await ask();
    expect((await bench.hermes("people", "deny", "1")).stdout).toContain("get no answer for 30 days");
    expect(await told()).toBeUndefined();
    expect(await ask()).toBeNull();
    expect((await bench.hermes("people", "deny", "1")).stderr).toContain("Nobody waits to be let in by 1.");
  });
});
