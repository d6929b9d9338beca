import { buildSessionKey } from "@hermes/core";
import { EVERY_SESSION, type Store } from "@hermes/core/embed";
import { createRowRedaction, redactingStore } from "@hermes/core/internal";
import { describe, expect } from "vitest";
import { LEASE_MS, type StoreTest } from "./kit.ts";
import { plantSecrets } from "./plant-secrets.ts";
import { KNOWN_SECRET, LOOKALIKE_FRAGMENT, SECRET_FRAGMENT, secretPlace } from "./secret-rows.ts";

/** The store as Hermes uses it: with redaction of everything that is written. */
function asHermesUsesIt(store: Store): Store {
  return redactingStore(store, createRowRedaction([KNOWN_SECRET]));
}

export function describeSecrets(test: StoreTest): void {
  describe("secrets", () => {
    test("a secret that is given to every call of the store is read from none of them", async (kit) => {
      await plantSecrets(kit, asHermesUsesIt(kit.store));
      const read = JSON.stringify(await everythingIn(kit.store)).toLowerCase();
      expect(read.includes("[redacted]")).toBe(true);
      // Only the places of leaks: otherwise a failure would print megabytes.
      const leaks = (fragment: string) => read.match(new RegExp(`.{0,40}${fragment}`, "g"))?.slice(0, 5);
      expect(leaks(SECRET_FRAGMENT)).toBeUndefined();
      expect(leaks(LOOKALIKE_FRAGMENT)).toBeUndefined();
    });

    test("a title keeps nothing of a secret, and two that differ only in it stay two", async (kit) => {
      const { sessions } = asHermesUsesIt(kit.store);
      const [a, b] = [await kit.session(), await kit.session()];
      expect(await sessions.setTitle(a.id, `key ${KNOWN_SECRET}`)).toBe("key [redacted]");
      expect(await sessions.setTitle(b.id, "key sk-live-0123456789abcdef")).toBe("key [redacted] 2");
      expect(await sessions.find(`key ${KNOWN_SECRET}`, EVERY_SESSION)).toMatchObject([{ id: a.id }]);
    });

    test("a tool call keeps what only looks like a secret, and loses a known one", async (kit) => {
      const { turns, transcripts } = asHermesUsesIt(kit.store);
      const { id } = await kit.session();
      const { turn, fence } = await kit.granted(id);
      const call = (key: string) => ({ id: "1.1", name: "send", input: { key, list: [{ [key]: key }] } });
      const row = (key: string) => ({ role: "assistant" as const, text: "", toolCalls: [call(key)] });
      await turns.append(turn.id, fence, [row("sk-live-0123456789abcdef"), row(KNOWN_SECRET)]);
      const [, kept, lost] = await transcripts.read(id);
      expect(kept?.toolCalls).toEqual([call("sk-live-0123456789abcdef")]);
      expect(lost?.toolCalls).toEqual([call("[redacted]")]);
    });

    test("ids that hold a secret stay distinct and lead to their places after a restart", async (kit) => {
      const [one, two] = [secretPlace("one"), secretPlace("two")];
      const { id } = await kit.session();
      const before = asHermesUsesIt(kit.store);
      const binding = { sessionId: id, mirrors: false };
      await before.bindings.bind({ ...binding, key: buildSessionKey(one), conversation: one });
      const message = { ...kit.message("hello", one), messageId: KNOWN_SECRET };
      await before.inbox.acceptInbound(buildSessionKey(one), message);
      const holder = kit.process("gateway", KNOWN_SECRET);
      await before.leases.acquire(KNOWN_SECRET, holder, LEASE_MS);

      await kit.restart();
      const after = asHermesUsesIt(kit.store);
      expect(await after.bindings.get(buildSessionKey(one))).toMatchObject({ conversation: one });
      expect(await after.bindings.get(buildSessionKey(two))).toBeNull();
      expect(await after.inbox.acceptInbound(buildSessionKey(one), message)).toEqual({ outcome: "duplicate" });
      expect(await after.inbox.head(buildSessionKey(one))).toMatchObject({ message });
      expect(await after.leases.acquire(KNOWN_SECRET, kit.process(), LEASE_MS)).toBe(false);
      expect(await after.leases.acquire(KNOWN_SECRET, holder, LEASE_MS)).toBe(true);
    });
  });
}

/** Everything that can be read from a store without knowing its content. */
async function everythingIn(store: Store): Promise<unknown[]> {
  const { sessions } = await store.sessions.list({ visible: EVERY_SESSION, limit: 1_000 });
  const ofSessions = sessions.flatMap(({ id, user, origin }) => [
    store.transcripts.read(id),
    store.bindings.of(id),
    store.handoffs.list({ sessionId: id, limit: 1_000 }),
    store.users.name(user),
    origin === "terminal" ? null : store.outbox.head(origin),
  ]);
  const handoffs = await store.handoffs.list({ limit: 1_000 });
  const outbox = await Promise.all(handoffs.map(({ id }) => store.outbox.ofHandoff(id)));
  const gateways = await store.gateways.alive();
  return [sessions, handoffs, outbox, gateways, await Promise.all(ofSessions)];
}
