import { buildSessionKey } from "@hermes/core";
import type { CodeSender, NewCode, RedeemCode, Redemption, UserId } from "@hermes/core/embed";
import { newCode, OPERATOR, type SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { DAY_MS, entry, HOUR_MS, type Kit, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

const MINUTE_MS = 60_000;

/** A private chat of somebody on the platform. */
export function senderOf(id: string): CodeSender {
  const conversation = { platform: "pager", chatId: id, kind: "dm" } as const;
  const surface = buildSessionKey(conversation);
  return { platform: "pager", account: undefined, key: id, id, name: id, conversation, surface };
}

/** Makes a link code, and returns what is typed. */
async function link(kit: Kit, options: Partial<NewCode> = {}): Promise<{ code: string; number: number }> {
  const code = newCode();
  const made = await kit.store.codes.create({
    ...{ code, kind: "link", issuer: OPERATOR, person: OPERATOR, sessionId: null, who: null, ttlMs: 10 * MINUTE_MS },
    ...options,
  });
  return { code, number: made.number };
}

export function pass(kit: Kit, sessionId: SessionId, person: UserId | null = OPERATOR, issuer = OPERATOR) {
  return link(kit, { kind: "pass", issuer, person, sessionId, ttlMs: HOUR_MS });
}

let messages = 0;

export function send(kit: Kit, code: string, id: string, options: Partial<RedeemCode> = {}): Promise<Redemption> {
  const who = senderOf(id);
  return kit.store.codes.redeem({
    ...{ code, who, user: null, messageId: `m${++messages}`, mirrors: false, outbox: [] },
    ...options,
  });
}

export async function reason(sent: Promise<Redemption>): Promise<string> {
  const redemption = await sent;
  return redemption.ok ? "ok" : redemption.reason;
}

export function describeCodes(test: StoreTest): void {
  describe("codes", () => {
    test("a link code is used once, by the first of two that send it at the same time", async (kit) => {
      const { code, number } = await link(kit);
      const other = await kit.second();
      const results = await Promise.all([
        send(kit, code, "ada", { outbox: [entry("Now say yes in the terminal.")] }),
        other.codes.redeem({
          ...{ code, who: senderOf("eve"), user: null, messageId: "e", mirrors: false },
          outbox: [entry("Now say yes in the terminal.")],
        }),
      ]);
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(results).toContainEqual({ ok: false, reason: "used" });
      const taken = await kit.store.codes.get(number);
      expect(taken).toMatchObject({ state: "taken", person: OPERATOR });
      const winner = results[0]?.ok ? "ada" : "eve";
      expect(taken?.who).toEqual(senderOf(winner));
      expect(await kit.drain(entry("").key, await kit.gateway())).toHaveLength(1);
    });

    test("the message that used a code uses it once, however often it is handed over", async (kit) => {
      const { code } = await link(kit);
      const outbox = [entry("Now say yes in the terminal.")];
      expect(await send(kit, code, "ada", { messageId: "m", outbox })).toMatchObject({ ok: true, isAgain: false });
      expect(await send(kit, code, "ada", { messageId: "m", outbox })).toMatchObject({ ok: true, isAgain: true });
      expect(await reason(send(kit, code, "ada"))).toBe("used");
      expect(await kit.drain(entry("").key, await kit.gateway())).toHaveLength(1);
    });

    test("a code is not valid when its time is over, by the steady clock too", async (kit) => {
      const { code, number } = await link(kit);
      await kit.clock.advance(10 * MINUTE_MS - 1);
      expect(await kit.store.codes.list("link")).toMatchObject([{ number, state: "open" }]);
      await kit.clock.advance(1);
      expect(await kit.store.codes.list("link")).toEqual([]);
      expect(await reason(send(kit, code, "ada"))).toBe("expired");
      expect(await kit.store.codes.find(code)).toMatchObject({ number, state: "expired" });
      const again = await link(kit);
      kit.clock.setWall(-DAY_MS);
      await kit.clock.advance(10 * MINUTE_MS);
      expect(await reason(send(kit, again.code, "bob"))).toBe("expired");
    });

    test("a link code that was sent waits half an hour for the terminal's one answer", async (kit) => {
      const { code, number } = await link(kit);
      await send(kit, code, "ada");
      await kit.restart();
      await kit.clock.advance(29 * MINUTE_MS);
      expect(await kit.store.codes.settle(number, "done", [entry("You are linked.")])).toBe(true);
      expect(await kit.store.codes.settle(number, "refused", [entry("No.")])).toBe(false);
      expect(await kit.drain(entry("").key, await kit.gateway())).toEqual(["You are linked."]);
      const late = await link(kit);
      await send(kit, late.code, "ada");
      await kit.clock.advance(30 * MINUTE_MS);
      expect(await kit.store.codes.settle(late.number, "done")).toBe(false);
    });

    test("a yes links who sent the code, in one step, unless they are another's", async (kit) => {
      const { people, codes } = kit.store;
      const [ada, bob] = [
        await people.add({ name: "Ada", role: "member" }),
        await people.add({ name: "Bob", role: "member" }),
      ];
      const { code, number } = await link(kit);
      await send(kit, code, "ada");
      expect(await codes.settle(number, "done", [entry("You are linked.")], ada.id)).toBe(true);
      expect(await people.of({ platform: "pager", account: undefined }, "ada")).toMatchObject({ id: ada.id });
      const again = await link(kit);
      await send(kit, again.code, "ada");
      expect(await codes.settle(again.number, "done", [entry("You are linked.")], bob.id)).toBe(false);
      expect(await kit.drain(entry("").key, await kit.gateway())).toEqual(["You are linked."]);
      expect(await codes.settle(again.number, "refused")).toBe(true);
    });

    test("a newcomer becomes a person in the step that settles their request", async (kit) => {
      const { people, codes } = kit.store;
      const asks = async (id: string) =>
        codes.requestPairing({ code: newCode(), who: senderOf(id), ttlMs: HOUR_MS, outbox: [] });
      await people.add({ name: "Ada", role: "operator" });
      const names = async () => (await people.list()).map(({ name }) => name);
      const [first, denied] = [await asks("ada"), await asks("eve")];
      expect(await codes.settle(first?.number ?? 0, "done", [], { name: "Ada" })).toBe(true);
      expect(await people.of({ platform: "pager", account: undefined }, "ada")).toMatchObject({
        name: "Ada 2",
        role: "member",
      });
      expect(await codes.settle(first?.number ?? 0, "done", [], { name: "Ada" })).toBe(false);
      await codes.settle(denied?.number ?? 0, "refused");
      expect(await codes.settle(denied?.number ?? 0, "done", [], { name: "Eve" })).toBe(false);
      const nameless = await asks("nameless");
      const invalid = { code: "PERSON_NAME_INVALID" };
      await expect(codes.settle(nameless?.number ?? 0, "done", [], { name: "" })).rejects.toMatchObject(invalid);
      expect(await codes.list("pairing")).toMatchObject([{ number: nameless?.number, state: "open" }]);
      await kit.clock.advance(DAY_MS);
      const again = await asks("ada");
      expect(await codes.settle(again?.number ?? 0, "done", [], { name: "Ada" })).toBe(true);
      expect(await names()).toEqual(["operator", "Ada", "Ada 2"]);
    });

    test("a code that a chat asked for is used in the terminal, and nowhere else", async (kit) => {
      const { code, number } = await link(kit, { who: senderOf("ada") });
      expect(await reason(send(kit, code, "eve"))).toBe("not-theirs");
      expect(await kit.store.codes.take(number)).toBe(true);
      expect(await kit.store.codes.take(number)).toBe(false);
      expect(await kit.store.codes.settle(number, "done")).toBe(true);
    });

    test("a revoked code is not valid, and what is over cannot be revoked", async (kit) => {
      const { code, number } = await link(kit);
      expect(await kit.store.codes.revoke(number)).toBe(true);
      expect(await kit.store.codes.revoke(number)).toBe(false);
      expect(await kit.store.codes.revoke(4711)).toBe(false);
      expect(await reason(send(kit, code, "ada"))).toBe("revoked");
    });

    test("after five wrong codes an identity is not heard for an hour, across a restart", async (kit) => {
      const { code } = await link(kit);
      for (let at = 0; at < 5; at++) expect(await reason(send(kit, newCode(), "eve"))).toBe("unknown");
      expect(await reason(send(kit, code, "eve"))).toBe("silenced");
      await kit.restart();
      await kit.clock.advance(HOUR_MS - 1);
      const next = await link(kit);
      expect(await reason(send(kit, next.code, "eve"))).toBe("silenced");
      await kit.clock.advance(1);
      expect(await reason(send(kit, next.code, "eve"))).toBe("ok");
    });

    test("a wrong code that the platform hands over again counts once", async (kit) => {
      const [code, other] = [newCode(), newCode()];
      const again = async (messageId: string, text = code) => reason(send(kit, text, "eve", { messageId }));
      expect(await again("a")).toBe("unknown");
      expect(await again("b", other)).toBe("unknown");
      await kit.restart();
      for (let at = 0; at < 9; at++)
        expect([await again("a"), await again("b", other)]).toEqual(["unknown", "unknown"]);
      for (const messageId of ["c", "d", "e"]) expect(await again(messageId)).toBe("unknown");
      expect(await again("f")).toBe("silenced");
    });

    test("a right code forgives the wrong ones before it", async (kit) => {
      for (let at = 0; at < 4; at++) await send(kit, newCode(), "ada");
      expect(await reason(send(kit, (await link(kit)).code, "ada"))).toBe("ok");
      for (let at = 0; at < 4; at++) expect(await reason(send(kit, newCode(), "ada"))).toBe("unknown");
    });

    test("many wrong codes on an account delay only those who sent one of them", async (kit) => {
      const { code } = await link(kit);
      expect(await reason(send(kit, newCode(), "bob"))).toBe("unknown");
      for (let at = 0; at < 100; at++) await send(kit, newCode(), `guesser-${at}`);
      expect(await reason(send(kit, code, "bob"))).toBe("slow");
      expect(await reason(send(kit, code, "ada"))).toBe("ok");
      const next = await link(kit);
      await kit.clock.advance(MINUTE_MS);
      expect(await reason(send(kit, next.code, "bob"))).toBe("ok");
    });

    test("a stranger is answered once a day, and not for 30 days once denied", async (kit) => {
      const ask = (id: string) =>
        kit.store.codes.requestPairing({
          ...{ code: newCode(), who: senderOf(id), ttlMs: DAY_MS },
          outbox: [{ ...entry("Ask the operator.", THREAD), key: THREAD_KEY }],
        });
      const first = await ask("eve");
      expect(first).toMatchObject({ kind: "pairing", state: "open", who: senderOf("eve"), issuer: null });
      for (let at = 0; at < 5; at++) expect(await ask("eve")).toBeNull();
      expect(await kit.drain(THREAD_KEY, await kit.gateway())).toEqual(["Ask the operator."]);
      await kit.clock.advance(DAY_MS);
      const second = await ask("eve");
      expect(second).not.toBeNull();
      expect(await kit.store.codes.settle(second?.number ?? 0, "refused")).toBe(true);
      await kit.clock.advance(30 * DAY_MS - 1);
      expect(await ask("eve")).toBeNull();
      await kit.clock.advance(1);
      expect(await ask("eve")).not.toBeNull();
    });

    test("the oldest of more than 20 open requests of an account goes, with its name", async (kit) => {
      const ask = (id: string) =>
        kit.store.codes.requestPairing({ code: newCode(), who: senderOf(id), ttlMs: DAY_MS, outbox: [] });
      const first = await ask("eve");
      for (let at = 0; at < 20; at++) await ask(`newcomer-${at}`);
      const open = await kit.store.codes.list("pairing");
      expect(open).toHaveLength(20);
      expect(open[0]?.who?.id).toBe("newcomer-0");
      expect(await kit.store.codes.get(first?.number ?? 0)).toMatchObject({ state: "over", who: null });
      expect(await ask("eve")).toBeNull();
    });

    test("a pairing code is of no use to whoever sends it", async (kit) => {
      const code = newCode();
      await kit.store.codes.requestPairing({ code, who: senderOf("eve"), ttlMs: DAY_MS, outbox: [] });
      expect(await reason(send(kit, code, "eve"))).toBe("not-theirs");
      const found = await kit.store.codes.find(code);
      expect(await kit.store.codes.settle(found?.number ?? 0, "done")).toBe(true);
      expect(await kit.store.codes.list("pairing")).toEqual([]);
    });

    test("codes are forgotten 30 days after they are over", async (kit) => {
      const { code } = await link(kit);
      const { id } = await kit.session();
      const used = await pass(kit, id, null);
      await send(kit, used.code, "bob");
      await kit.clock.advance(30 * DAY_MS);
      expect(await reason(send(kit, code, "ada"))).toBe("expired");
      await kit.clock.advance(11 * MINUTE_MS);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.codes.find(code)).toBeNull();
      expect(await kit.store.codes.get(used.number)).toMatchObject({ state: "taken" });
    });
  });
}
