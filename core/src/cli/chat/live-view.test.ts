import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, gate, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { InboundMessage } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { createHost } from "../../host/create-host.ts";
import type { Host } from "../../host/host.ts";
import { OPERATOR, type SessionId } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
let id: SessionId;

beforeEach(async () => {
  bench = await openBench();
  ({ id } = await bench.begin("plan"));
  await bench.host.store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: id, mirrors: false });
});

afterEach(() => bench[Symbol.asyncDispose]());

/** Ada writes in her chat on the pager; the turn runs in another process than the terminal's. */
async function asked(text: string, host: Host = bench.host) {
  const sender = { id: "ada", name: "Ada" };
  const sentAt = clock.now();
  const message: InboundMessage = { conversation: CHAT, sender, text, messageId: `m-${text}`, sentAt };
  const accepted = await host.store.inbox.acceptInbound(KEY, message);
  if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
  const cause = { kind: "inbox", inboxId: accepted.row.id } as const;
  const said = { role: "user", text, surface: KEY } as const;
  return host.runner.run({ sessionId: id, cause, surface: KEY, message: said, tools: false });
}

async function opened(...argv: string[]) {
  const chat = bench.start(argv.length > 0 ? argv : ["resume", "plan"], { interactive: true });
  await isViewed();
  return chat;
}

async function isViewed(): Promise<void> {
  const { store } = bench.host;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = async () => {
    if ((await store.views.of(id)).length > 0) resolve();
  };
  using _watch = store.watch(() => void look());
  await look();
  await promise;
}

test("shows what is said elsewhere as it grows, below place and name, and then once", async () => {
  const chat = await opened();
  const held = gate();
  bench.model.push([{ say: "The boats " }, { hold: held }, { say: "leave at **noon**." }]);
  const turn = asked("when?");
  await chat.printed("── on pager, Ada ──\n› when?");
  await held.reached;
  await clock.advance(400);
  await chat.printed("on pager, Ada: writing");
  await chat.printed("The boats");
  expect(await bench.host.store.turns.growing(id)).toMatchObject({ text: "The boats " });
  held.open();
  await turn;
  await chat.printed("The boats leave at **noon**.\n");
  chat.end();
  await chat.ended;
  expect(chat.stdout().match(/── on pager/g)).toHaveLength(1);
  expect(chat.stdout().match(/leave at \*\*noon/g)).toHaveLength(1);
});

test("the tools of a turn elsewhere are shown by name and summary, and while they run", async () => {
  const { store } = bench.host;
  writeFileSync(join(bench.folder, "a.txt"), "1\n");
  const begun = { title: "files", user: OPERATOR, origin: "terminal", originChat: null } as const;
  const session = await store.sessions.create({ ...begun, workingDirectory: bench.folder });
  const chat = bench.start(["resume", "files"], { interactive: true });
  await expect.poll(async () => (await store.views.of(session.id)).length).toBe(1);
  const held = gate();
  const read = { name: "read", input: { path: "a.txt" } };
  bench.model.push([{ say: "I look." }, { call: [read] }, { hold: held }, { say: "It is one." }]);
  const turn = bench.host.runner.run({
    ...{ sessionId: session.id, cause: { kind: "terminal" }, surface: "terminal", tools: true },
    message: { role: "user", text: "look", surface: "terminal" },
  });
  await chat.printed("› look\n");
  await held.reached;
  await chat.printed("I look.\n· read a.txt");
  held.open();
  await turn;
  await chat.printed("It is one.\n");
  chat.end();
  await chat.ended;
  expect(chat.stdout().match(/· read/g)).toHaveLength(1);
});

test("a terminal that opens a session during an answer shows what was said before", async () => {
  const held = gate();
  bench.model.push([{ say: "The boats " }, { hold: held }]);
  const turn = asked("when?");
  await held.reached;
  await clock.advance(2_000);
  const chat = await opened();
  await clock.advance(400);
  await chat.printed("The boats");
  held.open();
  await turn;
  chat.end();
  await chat.ended;
});

test("nothing is noted of a turn while nobody views it", async () => {
  const held = gate();
  bench.model.push([{ say: "The boats " }, { hold: held }]);
  const turn = asked("when?");
  await held.reached;
  await clock.advance(2_000);
  expect(await bench.host.store.turns.growing(id)).toMatchObject({ text: null });
  held.open();
  await turn;
});

test("a secret is taken out of what is noted, wherever its pieces are cut", async () => {
  const secret = "Tr0ub4dor-and-more";
  const environment = { HERMES_HOME: bench.home, SOME_TOKEN: secret };
  const { override, folder } = bench;
  await using other = await createHost({ role: "gateway", environment, workingDirectory: folder, override });
  const chat = await opened();
  const [first, second] = [gate(), gate()];
  bench.model.push([{ say: "It is Tr0ub4" }, { hold: first }, { say: "dor-and-more, and" }, { hold: second }]);
  const turn = asked("what is it?", other);
  await first.reached;
  await clock.advance(400);
  await chat.printed("It is");
  expect(await bench.host.store.turns.growing(id)).toMatchObject({ text: "It is " });
  first.open();
  await second.reached;
  await clock.advance(400);
  await chat.printed("It is [redacted], and");
  second.open();
  await turn;
  chat.end();
  await chat.ended;
  expect(chat.stdout()).not.toContain("Tr0ub4");
});

test("an answer elsewhere is still seen to grow while a typed message waits for it", async () => {
  const chat = await opened();
  const [held, more] = [gate(), gate()];
  bench.model.push(
    [{ say: "The boats " }, { hold: held }, { say: "leave" }, { hold: more }, { say: " at noon." }],
    "Ok.",
  );
  const turn = asked("when?");
  await held.reached;
  chat.type("and back?");
  await chat.printed("waiting for the turn that runs on pager");
  held.open();
  await more.reached;
  await clock.advance(400);
  await chat.printed("The boats leave");
  more.open();
  await turn;
  await chat.printed("The boats leave at noon.\n");
  await clock.advance(1_000);
  await chat.printed("Ok.");
  chat.end();
  await chat.ended;
  expect(chat.stdout().match(/leave at noon/g)).toHaveLength(1);
});

test("half a text goes when the process that writes it loses the turn", async () => {
  const { store } = bench.host;
  const chat = await opened();
  const message = { role: "user", text: "when?", surface: KEY } as const;
  const holder = { ...bench.host.holder, id: "stopped" };
  const begin = { sessionId: id, holder, cause: { kind: "terminal" }, surface: KEY, leaseMs: 15_000, message } as const;
  const begun = await store.turns.startTurn(begin);
  if (!begun.ok) throw new Error(begun.reason);
  await store.turns.noteText(begun.turn.id, begun.fence, "The boats");
  await chat.printed("The boats");
  await clock.advance(15_000);
  await clock.advance(1_000);
  chat.press("x");
  await chat.printed("› x");
  // The screen below the line is drawn anew without it.
  const [, after = ""] = chat.stdout().split(/› x/);
  await clock.advance(5_000);
  expect(after).not.toContain("The boats");
  expect(clock.isWaiting(1_000)).toBe(false);
  chat.press("\x15");
  chat.end();
  await chat.ended;
});
