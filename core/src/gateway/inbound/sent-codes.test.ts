import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { everyColumnOf, gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { Host } from "../../host/host.ts";
import { newCode, shownCode } from "../../model/code.ts";
import { homeOf } from "../../model/place.ts";
import { OPERATOR, type UserId } from "../../model/session.ts";

afterEach(disposeMachines);

const MINUTE_MS = 60_000;

/** The private chat of somebody who is not at home. */
const from = (id: string) => ({
  conversation: { platform: "loopback", chatId: `dm-${id}`, kind: "dm" } as const,
  sender: { id, name: id },
});

async function link({ store }: Host): Promise<{ code: string; number: number }> {
  const code = newCode();
  const made = { code, issuer: OPERATOR, person: OPERATOR, sessionId: null, who: null, ttlMs: 10 * MINUTE_MS };
  return { code, number: (await store.codes.create({ ...made, kind: "link" })).number };
}

async function pass({ store }: Host, person: UserId | null = OPERATOR) {
  const code = newCode();
  const { id } = await store.sessions.create({ title: "plan", user: OPERATOR, origin: "terminal", originChat: null });
  const made = { code, issuer: OPERATOR, person, sessionId: id, who: null, ttlMs: 60 * MINUTE_MS };
  return { code, sessionId: id, number: (await store.codes.create({ ...made, kind: "pass" })).number };
}

describe("a link code", () => {
  it("a link code that a stranger sends in private waits for the terminal's yes", async () => {
    const { platform, gateway, until } = machine();
    const { host } = await gateway();
    const { code, number } = await link(host);
    await platform.write(` ${shownCode(code).toLowerCase()} `, from("ada"));
    await until(() => platform.textsIn("dm-ada").length > 0);
    expect(platform.textsIn("dm-ada")).toEqual([expect.stringContaining("asks whether it is you")]);
    expect(await host.store.codes.get(number)).toMatchObject({
      state: "taken",
      who: { platform: "loopback", id: "ada", key: "ada", name: "ada" },
    });
    expect(await host.store.users.refused("loopback", undefined)).toBe(0);
  });

  it("nobody learns whether a code that is not valid was used, late or revoked", async () => {
    const { platform, gateway, clock } = machine({ allowedUsers: ["ada", "bob"] });
    const { host } = await gateway();
    const [used, late, revoked] = [await link(host), await link(host), await link(host)];
    await platform.write(used.code, from("ada"));
    await platform.write(used.code, from("bob"));
    await host.store.codes.revoke(revoked.number);
    await platform.write(revoked.code, from("bob"));
    await clock.advance(10 * MINUTE_MS);
    await platform.write(late.code, from("bob"));
    await platform.write(`/link ${shownCode(newCode())}`, from("bob"));
    await clock.advance(1_000);
    expect(platform.textsIn("dm-bob")).toEqual(Array(4).fill("This code is not valid."));
    await platform.write(late.code, from("eve"));
    await clock.advance(1_000);
    expect(platform.textsIn("dm-eve")).toEqual([]);
    expect(await host.store.users.refused("loopback", undefined)).toBe(1);
  });

  it("a code in a group, an edit, a forward or from a bot is not used or answered", async () => {
    const { platform, gateway, clock, model } = machine({ allowedUsers: ["ada"], allowedBots: ["ada"] });
    const { host } = await gateway();
    const { code, number } = await link(host);
    const { sender, conversation } = from("ada");
    const shown = shownCode(code);
    await platform.write(shown, { chatId: "team", isAddressed: true, sender });
    await platform.write(`/link ${shown}`, { chatId: "team", isAddressed: true, sender });
    await platform.write(shown, { conversation, sender: { ...sender, isBot: true } });
    await platform.write(shown, { conversation, sender, isEdit: true });
    await platform.write(shown, { conversation, sender, quotes: [{ kind: "forward", text: shown }] });
    await clock.advance(3_000);
    expect(platform.messages).toEqual([]);
    expect(model.requests).toEqual([]);
    expect(await host.store.codes.get(number)).toMatchObject({ state: "open" });
    await platform.write(shown, { conversation, sender });
    expect(await host.store.codes.get(number)).toMatchObject({ state: "taken" });
  });

  it("a message that waits and is edited into a code is not answered any more", async () => {
    const held = gate();
    const { platform, gateway, model, until } = machine({ allowedUsers: ["ada"] }, [
      [{ hold: held }, { say: "Done." }],
    ]);
    const { host } = await gateway();
    const { code } = await link(host);
    await platform.write("Do the first.", from("ada"));
    await until(() => model.requests.length === 1);
    await platform.write("Do the second.", { ...from("ada"), messageId: "second" });
    await platform.write(shownCode(code), { ...from("ada"), messageId: "second", isEdit: true });
    held.open();
    await until(async () => (await host.store.inbox.openLanes("loopback", undefined)).length === 0);
    expect(model.requests).toHaveLength(1);
  });

  it("the first of two that send a code uses it, and one message uses it once", async () => {
    const { platform, gateway, clock } = machine();
    const first = await gateway();
    const { code } = await link(first.host);
    const [receive] = [...platform.listening].map((events) => events.receive.bind(events));
    const message = { ...from("ada"), messageId: "m", text: code, sentAt: 0 };
    await Promise.all([
      receive?.(message),
      receive?.({ ...message, ...from("bob"), messageId: "n" }),
      receive?.(message),
    ]);
    await clock.advance(3_000);
    expect(platform.messages).toHaveLength(1);
  });

  it("the owner's code works at once after 10,000 guesses of others", async () => {
    const { platform, gateway, clock, until } = machine({ allowedUsers: ["ada"] });
    const { host } = await gateway();
    const { code } = await link(host);
    for (let at = 0; at < 10_000; at += 100) {
      const guesses = Array.from({ length: 100 }, (_, index) => from(`eve-${(at + index) % 2_500}`));
      await Promise.all(guesses.map((eve) => platform.write(newCode(), eve)));
    }
    expect(platform.messages).toEqual([]);
    expect(await host.store.users.refused("loopback", undefined)).toBe(10_000);
    const before = clock.now();
    await platform.write(code, from("ada"));
    await until(() => platform.textsIn("dm-ada").length > 0);
    expect(clock.now() - before).toBeLessThan(1_000);
    const next = await link(host);
    await platform.write(`/link ${shownCode(newCode())}`, from("ada"));
    await platform.write(next.code, from("ada"));
    await clock.advance(MINUTE_MS);
    await platform.write(next.code, from("ada"));
    await clock.advance(1_000);
    expect(platform.textsIn("dm-ada").slice(1)).toEqual([
      "This code is not valid.",
      expect.stringContaining("Wait a minute"),
      expect.stringContaining("asks whether it is you"),
    ]);
  });

  it("somebody who sent five wrong codes is not heard any more", async () => {
    const { platform, gateway, clock } = machine({ allowedUsers: ["ada"] });
    const { host } = await gateway();
    for (let at = 0; at < 8; at++) await platform.write(`/link ${shownCode(newCode())}`, from("ada"));
    await platform.write((await link(host)).code, from("ada"));
    await clock.advance(1_000);
    expect(platform.textsIn("dm-ada")).toEqual(Array(5).fill("This code is not valid."));
  });

  it("words that only look like a code are for the agent", async () => {
    const { platform, gateway } = machine();
    const { host } = await gateway();
    await platform.write("route66x");
    const key = buildSessionKey({ platform: "loopback", chatId: "home", kind: "dm" });
    expect((await host.store.inbox.head(key))?.message.text).toBe("route66x");
  });

  it("/link in a private chat gives a code that only the terminal takes", async () => {
    const { platform, gateway, until } = machine({ allowedUsers: ["ada"] });
    const { host } = await gateway();
    await platform.write("/link", from("ada"));
    await until(() => platform.textsIn("dm-ada").length > 0);
    const code = /hermes link ([0-9A-Z-]+)/.exec(platform.textsIn("dm-ada")[0] ?? "")?.[1]?.replace("-", "") ?? "";
    expect(await host.store.codes.find(code)).toMatchObject({ kind: "link", state: "open", who: { id: "ada" } });
    await platform.write("/link", { chatId: "team", isAddressed: true, sender: { id: "ada" } });
    await until(() => platform.textsIn("team").length > 0);
    expect(platform.textsIn("team")).toEqual([expect.stringContaining("works only in a private chat")]);
  });
});

it("a message with a code is kept nowhere, and is deleted where that can be", async () => {
  const { platform, gateway, until } = machine({ allowedUsers: ["ada"], pairing: true });
  const { host } = await gateway();
  const [shared, linked] = [await pass(host), await link(host)];
  const spellings = (written: string) => {
    const code = written.replace("-", "");
    return [code, shownCode(code)].flatMap((text) => [text, text.toLowerCase()]);
  };
  const ids = [
    await platform.write(`/continue ${shownCode(shared.code)}`),
    await platform.write(linked.code.toLowerCase(), from("eve")),
    await platform.write(shownCode(linked.code), from("ada")),
    await platform.write(shownCode(linked.code), { chatId: "team", isAddressed: true, sender: { id: "ada" } }),
  ];
  await platform.write("/link", from("ada"));
  await platform.write("/pass");
  await platform.write("Let me in", from("mallory"));
  await until(() => platform.messages.length === 7);
  expect([...platform.deleted]).toEqual(ids);
  const shown = platform.messages.flatMap(({ text }) => text.match(/[0-9A-Z]{4}-[0-9A-Z]{4}/)?.[0] ?? []);
  expect(new Set(shown).size).toBe(3);
  await until(async () => (await host.store.outbox.openLanes("loopback", undefined)).length === 0);
  const { values } = everyColumnOf(join(host.home, "store", "hermes.db"));
  const files = readdirSync(host.home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  for (const code of [shared.code, linked.code, ...shown].flatMap(spellings)) {
    expect(values.filter(({ value }) => value.includes(code))).toEqual([]);
  }
  for (const code of [shared.code, linked.code].flatMap(spellings)) {
    expect(contents.filter((content) => content.includes(code))).toEqual([]);
  }
});

describe("a pass", () => {
  it("a pass that its issuer sends in a private chat gives the session there", async () => {
    const { platform, gateway, until, model } = machine();
    const { host } = await gateway();
    const { code, sessionId } = await pass(host);
    await platform.write(`/continue ${shownCode(code)}`);
    await until(() => platform.textsIn("home").length > 0);
    expect(platform.textsIn("home")).toEqual(["You go on here with **plan**."]);
    await platform.write("Hello");
    await until(() => model.requests.length > 0);
    const texts = (await host.store.transcripts.read(sessionId)).map(({ text }) => text);
    expect(texts).toContain("Hello");
    expect(texts.join()).not.toContain("continue");
  });

  it("a pass of another person is not valid, and is left for whom it is for", async () => {
    const { platform, gateway, clock } = machine({ allowedUsers: ["ada"] });
    const { host } = await gateway();
    const { code, number } = await pass(host);
    await platform.write(code, from("ada"));
    await platform.write(code, from("eve"));
    await clock.advance(1_000);
    expect(platform.textsIn("dm-ada")).toEqual(["This code is not valid."]);
    expect(platform.textsIn("dm-eve")).toEqual([]);
    expect(await host.store.codes.get(number)).toMatchObject({ state: "open" });
  });

  it("a pass is not used while its session is handed off", async () => {
    const { platform, gateway, until } = machine();
    const { host } = await gateway();
    const { code, sessionId, number } = await pass(host);
    await host.store.handoffs.requestHandoff(sessionId, homeOf("elsewhere"));
    await platform.write(code);
    await until(() => platform.textsIn("home").length > 0);
    expect(platform.textsIn("home")).toEqual([expect.stringContaining("already being handed off")]);
    expect(await host.store.codes.get(number)).toMatchObject({ state: "open" });
  });

  it("/pass in a private chat gives a code of the session there", async () => {
    const { platform, gateway, until } = machine();
    const { host } = await gateway();
    await platform.write("Hello");
    await until(() => platform.textsIn("home").length === 1);
    await platform.write("/pass");
    await until(() => platform.textsIn("home").length === 2);
    const code = /^`([0-9A-Z-]+)`/.exec(platform.textsIn("home")[1] ?? "")?.[1]?.replace("-", "") ?? "";
    expect(await host.store.codes.find(code)).toMatchObject({ kind: "pass", person: OPERATOR, state: "open" });
  });
});
