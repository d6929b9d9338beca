import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL, type DiscordEmulator, startDiscordEmulator } from "./index.ts";

let emulator: DiscordEmulator;
beforeEach(async () => {
  emulator = await startDiscordEmulator();
});
afterEach(() => emulator.close());

async function call(method: string, path: string, body?: unknown, token = String(emulator.options.token)) {
  const response = await fetch(`${emulator.url}/api/v10${path}`, {
    method,
    headers: { authorization: `Bot ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: unknown = response.status === 204 ? null : await response.json();
  return { status: response.status, body: answer };
}

const messagesOf = (id: string) => `/channels/${id}/messages`;
const threadsOf = (id: string) => `/channels/${id}/threads`;

/** A row of buttons. */
function row(count: number, length = 3) {
  const components = Array.from({ length: count }, (_, index) => {
    return { type: 2, style: 1, label: "x".repeat(length), custom_id: `q.${index}` };
  });
  return [{ type: 1, components }];
}

describe("the emulated API refuses what Discord refuses", () => {
  it.each([
    ["refuses a wrong token", "GET", "/users/@me", undefined, 401, 0],
    ["an unknown channel", "GET", "/channels/1", undefined, 404, 10003],
    ["a message that is too long", "POST", messagesOf(CHANNEL.general), { content: "x".repeat(2001) }, 400, 50035],
    ["an empty message", "POST", messagesOf(CHANNEL.general), { content: " \n " }, 400, 50006],
    ["six buttons in a row", "POST", messagesOf(CHANNEL.general), { content: "x", components: row(6) }, 400, 50035],
    ["a long label", "POST", messagesOf(CHANNEL.general), { content: "x", components: row(1, 81) }, 400, 50035],
    ["a message in a forum", "POST", messagesOf(CHANNEL.forum), { content: "x" }, 400, 40058],
    [
      "a nonce that is too long",
      "POST",
      messagesOf(CHANNEL.general),
      { content: "x", nonce: "n".repeat(26) },
      400,
      50035,
    ],
    ["a thread without a name", "POST", threadsOf(CHANNEL.general), { name: " ", type: 11 }, 400, 50035],
    ["a thread with a long name", "POST", threadsOf(CHANNEL.general), { name: "x".repeat(101), type: 11 }, 400, 50035],
    ["a thread in direct messages", "POST", threadsOf(CHANNEL.dm), { name: "x", type: 11 }, 403, 50003],
    ["a thread in a voice channel", "POST", threadsOf(CHANNEL.voice), { name: "x", type: 11 }, 400, 50024],
    ["a thread in a thread", "POST", threadsOf(CHANNEL.standingThread), { name: "x", type: 11 }, 400, 50024],
    ["a post without a message", "POST", threadsOf(CHANNEL.forum), { name: "x" }, 400, 50035],
    [
      "a post without a tag",
      "POST",
      threadsOf(CHANNEL.taggedForum),
      { name: "x", message: { content: "x" } },
      400,
      40067,
    ],
    [
      "a command with a bad name",
      "PUT",
      "/applications/1/commands",
      [{ name: "No Way", description: "x" }],
      400,
      50035,
    ],
  ])("%s", async (what, method, path, body, status, code) => {
    const token = what === "refuses a wrong token" ? "wrong" : undefined;
    expect(await call(method, path, body, token)).toMatchObject({ status, body: { code } });
  });
});

describe("the emulated API does what Discord does", () => {
  it("makes a thread private when its type is left out", async () => {
    await call("POST", threadsOf(CHANNEL.general), { name: "hidden" });
    expect(emulator.threads(CHANNEL.general)).toMatchObject([{ name: "hidden", isVisible: false }]);
  });

  it("returns the existing message for a repeated nonce, and never shows the nonce", async () => {
    const body = { content: "x", nonce: "n", enforce_nonce: true };
    const first = await call("POST", messagesOf(CHANNEL.general), body);
    expect(await call("POST", messagesOf(CHANNEL.general), body)).toEqual(first);
    const listed = await call("GET", `${messagesOf(CHANNEL.general)}?limit=5`);
    expect(listed.body).toEqual([expect.not.objectContaining({ nonce: expect.anything() })]);
  });

  it("the emulated API returns the messages after an id, newest first", async () => {
    for (const content of ["1", "2", "3", "4"]) await call("POST", messagesOf(CHANNEL.general), { content });
    const [first] = emulator.messages(CHANNEL.general);
    const { body } = await call("GET", `${messagesOf(CHANNEL.general)}?after=${first?.id}&limit=2`);
    expect(body).toMatchObject([{ content: "3" }, { content: "2" }]);
  });

  it("an edit that names no buttons keeps them, and one with none removes them", async () => {
    const { body } = await call("POST", messagesOf(CHANNEL.general), { content: "x", components: row(1) });
    const edit = (fields: object) =>
      call("PATCH", `${messagesOf(CHANNEL.general)}/${Object(body).id}`, { content: "y", ...fields });
    expect(await edit({})).toMatchObject({ body: { components: row(1) } });
    expect(await edit({ components: [] })).toMatchObject({ body: { components: [] } });
    expect(emulator.messages(CHANNEL.general)[0]).not.toHaveProperty("choices");
  });

  it("a press that nobody answers within three seconds has failed", async () => {
    const clock = createVirtualClock();
    await using late = await startDiscordEmulator({ clock });
    const events: Record<string, unknown>[] = [];
    late.gateway.dispatch = (_, payload) => void events.push(Object(payload));
    const send = (path: string, value: unknown) =>
      fetch(`${late.url}/api/v10${path}`, {
        method: "POST",
        headers: { authorization: `Bot ${late.options.token}`, "content-type": "application/json" },
        body: JSON.stringify(value),
      });
    const sent = await send(messagesOf(CHANNEL.general), { content: "x", components: row(1) });
    const { id: messageId } = (await sent.json()) as { id: string };
    const answer = async () => {
      await late.press({ chatId: CHANNEL.general, messageId, label: "xxx" });
      const { id, token } = events.at(-1) ?? {};
      return (type: number) => send(`/interactions/${id}/${token}/callback`, { type });
    };
    const inTime = await answer();
    expect([(await inTime(6)).status, await (await inTime(6)).json()]).toMatchObject([204, { code: 40060 }]);
    const tooLate = await answer();
    await clock.advance(3_001);
    expect(await (await tooLate(6)).json()).toMatchObject({ code: 10062 });
  });

  it("keeps tokens out of its log", async () => {
    await call("POST", messagesOf(CHANNEL.general), { content: `it is ${emulator.options.token}` });
    expect(JSON.stringify(emulator.log)).not.toContain(String(emulator.options.token));
  });
});
