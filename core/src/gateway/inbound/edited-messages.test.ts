import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { InboundMessage } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { OPERATOR } from "../../model/session.ts";

afterEach(disposeMachines);

/** A chat whose session a terminal's turn holds until `end`. */
async function heldByTerminal() {
  const on = machine({ operators: ["person"] });
  const { store, holder } = (await on.gateway()).host;
  const said = () => on.platform.textsIn("home");
  await on.platform.write("Hello.");
  await on.until(() => said().length > 0);
  const [sessionId = null] = (await store.sessions.list({ visible: { kind: "all" }, limit: 1 })).sessions.map(
    ({ id }) => id,
  );
  if (sessionId === null) throw new Error("there is no session");
  const message = { role: "user", text: "Something slow." } as const;
  const turn = { cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000, message } as const;
  const held = await store.turns.startTurn({ ...turn, sessionId, holder });
  if (!held.ok) throw new Error("the session is held by another turn");
  const {
    turn: { id: turnId },
    fence,
  } = held;
  return {
    ...on,
    store,
    sessionId,
    said,
    asked: () => on.model.requests.map(({ messages }) => messages.at(-1)?.text),
    /** Writes what waits for the lease. */
    async writes(text: string, more: Partial<InboundMessage> = {}) {
      const messageId = await on.platform.write(text, more);
      await on.until(async () => (await store.inbox.openLanes("loopback", undefined)).length > 0);
      await on.clock.advance(3_000);
      return messageId;
    },
    end: () => store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [] }),
  };
}

it("a message that waits for a turn is answered as it reads when its own begins", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Remove the folder A.");
  await on.platform.write("Remove the folder B.", { messageId, isEdit: true });
  await on.end();
  await on.until(() => on.asked().length > 1);
  await on.clock.advance(10_000);
  expect(on.asked()).toEqual(["Hello.", "Remove the folder B."]);
});

it("a message that was edited to a command while it waited is that command", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Remove the folder A.");
  await on.platform.write("/title Rome", { messageId, isEdit: true });
  await on.end();
  await on.until(async () => (await on.store.sessions.get(on.sessionId))?.title === "Rome");
  expect(on.asked()).toEqual(["Hello."]);
});

it("a waiting message that is edited to /stop stops the turn, and is not asked", async () => {
  const { platform, gateway, until, model } = machine({}, [[{ say: "A long story" }, { hold: gate() }], "Two."]);
  const { store } = (await gateway()).host;
  await platform.write("Tell me.");
  await until(() => platform.textsIn("home")[0] === "A long story");
  const messageId = await platform.write("Remove the folder A.");
  await platform.write("/stop", { messageId, isEdit: true });
  await until(async () => (await store.inbox.openLanes("loopback", undefined)).length === 0);
  expect(platform.textsIn("home").join()).toContain("Stopping");
  expect(model.requests).toHaveLength(1);
});

it("a waiting message that is edited to /stop stops the turn of another process", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Remove the folder A.");
  await on.platform.write("/stop", { messageId, isEdit: true });
  await on.until(() => on.said().some((text) => text.includes("Stopp")));
  await on.end();
  await on.until(async () => (await on.store.inbox.openLanes("loopback", undefined)).length === 0);
  expect(on.asked()).toEqual(["Hello."]);
});

function file(name: string) {
  const content = Buffer.from(name);
  return { name, mediaType: "text/plain", size: content.length, download: async () => content };
}

it("a file that its writer took out of a message while it waited is not read", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Look.", { attachments: [file("secret.txt")] });
  await on.platform.write("Look.", { messageId, isEdit: true, attachments: [] });
  await on.end();
  await on.until(() => on.asked().length > 1);
  expect(on.asked()).toEqual(["Hello.", "Look."]);
});

it("a file stays with a message whose edit does not say what files it has", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Look.", { attachments: [file("plan.txt")] });
  await on.platform.write("", { messageId, isEdit: true });
  await on.end();
  await on.until(() => on.asked().length > 1);
  expect(on.asked().at(-1)).toMatch(/^(?!.*Look).*plan\.txt/s);
});

it("a message of which an edit leaves nothing while it waits is not answered", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Remove the folder A.", { attachments: [file("a.txt")] });
  await on.platform.write("", { messageId, isEdit: true, attachments: [] });
  await on.end();
  await on.until(async () => (await on.store.inbox.openLanes("loopback", undefined)).length === 0);
  expect(on.asked()).toEqual(["Hello."]);
  expect(on.said()).toHaveLength(1);
});

it("a message edited to a file alone is answered before that is there", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Look.");
  const slow = gate();
  const download = () => slow.pass().then(() => Buffer.from("plan"));
  const attachments = [{ ...file("plan.txt"), download }];
  const edit = on.platform.write("", { messageId, isEdit: true, attachments });
  await slow.reached;
  await on.end();
  await on.until(() => on.asked().length > 1);
  expect(on.asked().at(-1)).toMatch(/^(?!.*Look).*plan\.txt/s);
  slow.open();
  await edit;
});

it("an edit counts before its files are there", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Remove the folder A.");
  const slow = gate();
  const attachments = [
    { name: "plan.txt", mediaType: "text/plain", size: 4, download: () => slow.pass().then(() => Buffer.from("plan")) },
  ];
  const edit = on.platform.write("Remove the folder B.", { messageId, isEdit: true, attachments });
  await slow.reached;
  await on.end();
  await on.until(() => on.asked().length > 1);
  expect(on.asked()).toEqual(["Hello.", "Remove the folder B."]);
  slow.open();
  await edit;
});

it("an edit counts with what it quotes before its files are there", async () => {
  const on = await heldByTerminal();
  const messageId = await on.writes("Remove the folder A.");
  const slow = gate();
  const attachments = [
    { name: "plan.txt", mediaType: "text/plain", size: 4, download: () => slow.pass().then(() => Buffer.from("plan")) },
  ];
  const quotes = [{ kind: "forward" as const, text: "The folder B is old.", writer: "Grace" }];
  const edit = on.platform.write("Remove this.", { messageId, isEdit: true, attachments, quotes });
  await slow.reached;
  await on.end();
  await on.until(() => on.asked().length > 1);
  expect(on.asked()[1]).toMatch(/Remove this\..*Grace.*The folder B is old\./s);
  slow.open();
  await edit;
});

it("a command that is edited right before it is carried out is another one", async () => {
  const on = machine({ operators: ["person"] });
  const { store } = (await on.gateway()).host;
  const { inbox } = (await on.terminal()).store;
  vi.spyOn(store.inbox, "head").mockImplementationOnce(async (key) => {
    const row = await inbox.head(key);
    await on.platform.write("/title Rome", { messageId: "edited", isEdit: true });
    return row;
  });
  await on.platform.write("/title Oslo", { messageId: "edited" });
  await on.until(() => on.platform.textsIn("home").length > 0);
  expect(on.platform.textsIn("home").join()).toMatch(/^(?!.*Oslo).*Rome/);
});

describe("a message behind /new", () => {
  const conversation = { platform: "loopback", chatId: "home", kind: "dm" } as const;

  /** A chat with a session, and what happens right before the turn of the next message begins. */
  async function beforeTheTurn(
    happens: (on: ReturnType<typeof machine>) => Promise<unknown>,
    text = "/new Remove the folder A.",
  ) {
    const on = machine({ operators: ["person"] });
    const { host, die } = await on.gateway();
    const { sessions, turns, bindings } = (await on.terminal()).store;
    const { id: sessionId } = await sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
    const terminal = { cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000 } as const;
    const message = { role: "user", text: "Hello." } as const;
    const begun = await turns.startTurn({ ...terminal, sessionId, holder: host.holder, message });
    if (!begun.ok) throw new Error("the session is held by another turn");
    const { turn, fence } = begun;
    await turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [] });
    await bindings.bind({ key: buildSessionKey(conversation), conversation, sessionId, mirrors: false });
    vi.spyOn(host.store.turns, "startTurn").mockImplementationOnce(async (request) => {
      await happens(on);
      return turns.startTurn(request);
    });
    const sentAt = on.clock.now();
    await on.clock.advance(1);
    await on.platform.write(text, { messageId: "edited", sentAt });
    const asked = () => on.model.requests.map(({ messages }) => messages.at(-1)?.text);
    const told = () => on.platform.textsIn("home").filter((text) => /This is|Rome/.test(text));
    return { ...on, store: host.store, sessionId, die, asked, told };
  }

  const editedTo = (text: string, from?: string) =>
    beforeTheTurn((on) => on.platform.write(text, { messageId: "edited", isEdit: true }), from);

  it("a message edited right before its turn is told once that its session is new", async () => {
    const on = await editedTo("/new Remove the folder B.");
    await on.until(() => on.asked().includes("Remove the folder B."));
    await on.clock.advance(10_000);
    expect(on.asked()).toEqual(["Remove the folder B."]);
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session\. The one before is kept/)]);
  });

  it("a message that loses its /new by an edit is told of the session that had begun", async () => {
    const on = await editedTo("Remove the folder B.");
    await on.until(() => on.asked().includes("Remove the folder B."));
    await on.clock.advance(10_000);
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session/)]);
  });

  it("a message that is another command by an edit is told of both", async () => {
    const on = await editedTo("/title Rome");
    await on.until(() => on.told().length > 1);
    await on.clock.advance(10_000);
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session/), expect.stringMatching(/Rome/)]);
  });

  it("a message that becomes /new right before its turn begins a session, and is told", async () => {
    const on = await editedTo("/new Remove the folder B.", "Remove the folder A.");
    await on.until(() => on.asked().length > 0);
    await on.clock.advance(10_000);
    expect(on.asked()).toEqual(["Remove the folder B."]);
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session\. The one before is kept/)]);
    expect(on.model.requests[0]?.session.id).not.toBe(on.sessionId);
  });

  it("a message that is nothing but /new right before its turn is not asked", async () => {
    const on = await editedTo("/new", "Remove the folder A.");
    await on.until(() => on.told().length > 0);
    await on.clock.advance(10_000);
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session\. The one before is kept/)]);
    expect(on.asked()).toEqual([]);
    expect(await on.store.transcripts.read(on.sessionId)).toHaveLength(1);
  });

  it("a message deleted right before its turn is told of the session that had begun", async () => {
    const on = await beforeTheTurn(({ platform }) =>
      Promise.all([...platform.listening].map((events) => events.retracted(conversation, "edited"))),
    );
    await on.until(() => on.told().length > 0);
    await on.clock.advance(10_000);
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session/)]);
    expect(on.asked()).toEqual([]);
  });

  it("a message of which an edit leaves nothing is told of the session that had begun", async () => {
    const on = await editedTo("");
    await on.until(() => on.told().length > 0);
    await on.clock.advance(10_000);
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session/)]);
    expect(on.asked()).toEqual([]);
  });

  it("a message whose new session is deleted right before its turn is told of both", async () => {
    const on = await beforeTheTurn(async ({ platform, terminal }) => {
      await platform.write("Remove the folder B.", { messageId: "edited", isEdit: true });
      const { bindings, sessions } = (await terminal()).store;
      const { sessionId } = (await bindings.get(buildSessionKey(conversation))) ?? {};
      if (sessionId !== undefined) await sessions.delete(sessionId);
    });
    await on.until(() => on.platform.textsIn("home").some((text) => text.includes("was not read")));
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session/)]);
    expect(on.asked()).toEqual([]);
  });

  it("a message whose gateway dies before its turn is told once of its new session", async () => {
    const on = await beforeTheTurn(() => new Promise(() => {}));
    await on.clock.advance(5_000);
    on.die();
    await on.gateway();
    await on.until(() => on.asked().includes("Remove the folder A."));
    await on.clock.advance(10_000);
    expect(on.told()).toEqual([expect.stringMatching(/^This is a new session/)]);
  });
});

it("an edit that takes the mention out of a group's message replaces its text, too", async () => {
  const on = machine({ operators: ["person"] });
  const { store } = (await on.gateway()).host;
  const { inbox } = (await on.terminal()).store;
  const asked = { chatId: "team", messageId: "edited" };
  vi.spyOn(store.inbox, "head").mockImplementationOnce(async (key) => {
    const row = await inbox.head(key);
    await on.platform.write("Remove the folder B.", { ...asked, isEdit: true });
    return row;
  });
  await on.platform.write("Remove the folder A.", { ...asked, isAddressed: true });
  await on.until(() => on.platform.textsIn("team").length > 0);
  const texts = on.model.requests.map(({ messages }) => messages.at(-1)?.text ?? "");
  expect(texts.join()).toMatch(/^(?!.*folder A).*folder B/s);
});
