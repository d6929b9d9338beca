import { buildSessionKey } from "@hermes/core";
import {
  type IdentityKey,
  newCode,
  OPERATOR,
  type Person,
  type PersonRole,
  type SessionId,
  type TurnId,
  type UserId,
  userOfIdentity,
} from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { offerOf } from "./asks.ts";
import { AT_HOME, entry, HOME_KEY, type Kit, LEASE_MS, type StoreTest } from "./kit.ts";

const PAGER = { platform: "pager", account: undefined };
/** Who writes the kit's messages. */
const ADA: IdentityKey = { ...PAGER, key: "ada" };
const ADA_ELSEWHERE: IdentityKey = { platform: "beacon", account: "shop", key: "u7" };

async function added(
  { store }: Kit,
  name: string,
  role: PersonRole,
  ...identities: readonly IdentityKey[]
): Promise<Person> {
  const { id } = await store.people.add({ name, role });
  for (const identity of identities) expect(await store.people.link(identity, id, "code", name)).toBe("linked");
  const person = await store.people.get(id);
  if (person === null) throw new Error("the person is not there");
  return person;
}

/** A turn that runs for whoever writes the kit's messages. */
async function running(kit: Kit): Promise<{ readonly turnId: TurnId; readonly sessionId: SessionId }> {
  const { id: sessionId } = await kit.session();
  const { id: inboxId } = await kit.accepted("do it");
  const { turn } = await kit.granted(sessionId, { cause: { kind: "inbox", inboxId } });
  return { turnId: turn.id, sessionId };
}

async function isRevoked({ store }: Kit, { turnId }: { readonly turnId: TurnId }): Promise<boolean> {
  const turn = await store.turns.get(turnId);
  expect(turn?.stopRequested).toBe(turn?.isRevoked);
  return turn?.isRevoked === true;
}

export function describePeople(test: StoreTest): void {
  describe("people", () => {
    test("the person at the terminal is always there, as an operator", async (kit) => {
      const { people } = kit.store;
      const operator = { id: OPERATOR, name: "operator", role: "operator", identities: [] };
      expect(await people.list()).toMatchObject([operator]);
      await expect(people.remove(OPERATOR)).rejects.toMatchObject({ code: "PERSON_IS_TERMINAL" });
      await expect(people.setRole(OPERATOR, "member")).rejects.toMatchObject({ code: "PERSON_IS_TERMINAL" });
      await people.rename(OPERATOR, "Grace");
      await kit.restart();
      expect(await kit.store.people.get(OPERATOR)).toMatchObject({ ...operator, name: "Grace" });
    });

    test("a name is one person's, whatever its case, and fits on a line", async (kit) => {
      const { people } = kit.store;
      const { id } = await people.add({ name: " Ada\nL. ", role: "member" });
      expect(await people.get(id)).toEqual({
        ...{ id, name: "Ada L.", role: "member", createdAt: kit.clock.now(), identities: [] },
      });
      const taken = { code: "PERSON_NAME_TAKEN" };
      await expect(people.add({ name: "ADA L.", role: "operator" })).rejects.toMatchObject(taken);
      await expect(people.rename(id, "Operator")).rejects.toMatchObject(taken);
      expect(await people.rename(id, "ada l.")).toMatchObject({ name: "ada l." });
      for (const name of ["", " \u200b\n", "x".repeat(81)]) {
        await expect(people.add({ name, role: "member" })).rejects.toMatchObject({ code: "PERSON_NAME_INVALID" });
      }
      expect(await people.rename("per_none" as UserId, "Bob")).toBeNull();
    });

    test("finds people by id or whole name, else by a part of the name", async (kit) => {
      const { people } = kit.store;
      const [ada, adam] = [await added(kit, "Ada", "member"), await added(kit, "Adam", "member")];
      const found = async (reference: string) => (await people.find(reference)).map(({ id }) => id);
      expect(await found("ada")).toEqual([ada.id]);
      expect(await found("da")).toEqual([ada.id, adam.id]);
      expect(await found(adam.id)).toEqual([adam.id]);
      expect(await found("eve")).toEqual([]);
      expect(await found("")).toEqual([]);
    });

    test("an identity belongs to one person, on one account", async (kit) => {
      const { people } = kit.store;
      const ada = await added(kit, "Ada", "operator", ADA, ADA_ELSEWHERE);
      const bob = await added(kit, "Bob", "member");
      expect(await people.link(ADA, bob.id, "terminal", null)).toBe("other-person");
      expect(await people.link(ADA, ada.id, "terminal", "Ada L.")).toBe("linked");
      await kit.restart();
      const since = kit.clock.now();
      expect((await kit.store.people.get(ada.id))?.identities).toEqual([
        { ...ADA_ELSEWHERE, name: "Ada", since, word: "code" },
        { ...ADA, name: "Ada L.", since, word: "code" },
      ]);
      expect(await kit.store.people.of(PAGER, "ada")).toMatchObject({ id: ada.id });
      expect(await kit.store.people.of({ ...PAGER, account: "shop" }, "ada")).toBeNull();
      const unknown = { code: "PERSON_UNKNOWN" };
      await expect(kit.store.people.link(ADA, "per_none" as UserId, "code", null)).rejects.toMatchObject(unknown);
    });

    test("what an identity began is the person's once it is linked, and stays theirs", async (kit) => {
      const former = userOfIdentity(ADA);
      const { id } = await kit.session({ user: former });
      const other = await kit.session({ user: userOfIdentity({ ...ADA, account: "shop" }) });
      await kit.store.users.note(former, "Ada");
      const code = { kind: "link", code: newCode(), person: former, issuer: former } as const;
      const { number } = await kit.store.codes.create({ ...code, sessionId: null, who: null, ttlMs: LEASE_MS });
      const ada = await added(kit, "Ada", "member", ADA);
      expect((await kit.store.sessions.get(id))?.user).toBe(ada.id);
      expect((await kit.store.sessions.get(other.id))?.user).toBe(other.user);
      expect(await kit.store.codes.get(number)).toMatchObject({ issuer: ada.id, person: ada.id });
      expect(await kit.store.users.name(former)).toBeNull();
      const visible = { kind: "begun-by", user: ada.id } as const;
      expect((await kit.store.sessions.list({ visible, limit: 5 })).sessions).toMatchObject([{ id }]);
      await kit.store.people.unlink(ADA);
      expect((await kit.store.sessions.get(id))?.user).toBe(ada.id);
    });

    test("a role holds at each identity of a person from the moment it is given", async (kit) => {
      const { people, grants } = kit.store;
      const ada = await added(kit, "Ada", "member", ADA, ADA_ELSEWHERE);
      await grants.publish(
        { ...PAGER, operators: [], allowedUsers: [], allowedBots: [], home: null },
        await kit.gateway(),
      );
      const granted = { operators: [], members: ["ada"], guests: [] };
      expect((await grants.current(PAGER))?.people).toEqual(granted);
      expect(await people.standing(PAGER, "ada")).toEqual({ user: ada.id, people: granted });
      await people.setRole(ada.id, "operator");
      expect((await (await kit.second()).grants.current(PAGER))?.people).toEqual({
        ...{ operators: ["ada"], members: [], guests: [] },
      });
      expect(await people.standing(ADA_ELSEWHERE, "u7")).toEqual({
        ...{ user: ada.id, people: { operators: ["u7"], members: [], guests: [] } },
      });
      const nobody = { operators: [], members: [], guests: [] };
      expect(await people.standing(PAGER, "u7")).toEqual({ user: null, people: nobody });
      await people.remove(ada.id);
      expect((await grants.current(PAGER))?.people).toEqual(nobody);
      expect(await people.of(PAGER, "ada")).toBeNull();
    });

    test("people and their links are kept, however long ago they were added", async (kit) => {
      const ada = await added(kit, "Ada", "member", ADA);
      await kit.clock.advance(400 * 24 * 60 * 60_000);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.people.get(ada.id)).toEqual(ada);
      expect(await kit.store.people.of(PAGER, "ada")).toEqual(ada);
    });

    test("a person who is removed takes their codes along, and no session", async (kit) => {
      const { people, codes } = kit.store;
      const ada = await added(kit, "Ada", "member", ADA);
      const { id } = await kit.session({ user: ada.id });
      const code = { kind: "link", code: newCode(), person: ada.id, issuer: OPERATOR, sessionId: null } as const;
      const { number } = await codes.create({ ...code, who: null, ttlMs: LEASE_MS });
      expect(await people.remove(ada.id)).toBe(true);
      expect(await people.remove(ada.id)).toBe(false);
      expect(await codes.get(number)).toMatchObject({ state: "revoked" });
      expect(await kit.store.sessions.get(id)).not.toBeNull();
      expect(await people.add({ name: "Ada", role: "member" })).not.toMatchObject({ id: ada.id });
    });

    test("the chat of somebody who loses a right leads to no session of others any more", async (kit) => {
      const { people, bindings, places } = kit.store;
      const at = { platform: "pager", chatId: "dm-ada", kind: "dm" } as const;
      const [chat, thread] = [at, { ...at, threadId: "7" }];
      const author = { ...PAGER, senderId: "ada", aliases: [], conversation: at };
      const name = "Ada";
      await places.note({
        ...{ key: buildSessionKey(chat), conversation: chat, name, word: "heard", person: { author, name } },
      });
      const ada = await added(kit, name, "operator", ADA);
      const [hers, other] = [await kit.session({ user: ada.id }), await kit.session()];
      const leadTo = async (of: typeof chat, { id }: { readonly id: SessionId }) =>
        bindings.bind({ key: buildSessionKey(of), conversation: of, sessionId: id, mirrors: false });
      const led = async () =>
        Promise.all([chat, thread].map(async (of) => (await bindings.get(buildSessionKey(of)))?.sessionId ?? null));
      await leadTo(chat, other);
      await leadTo(thread, hers);
      const said = async (text: string, of: typeof chat, { id }: { readonly id: SessionId }) =>
        kit.store.outbox.enqueue([{ ...entry(text, of), sessionId: id }]);
      await said("Of another", chat, other);
      await said("Hers", chat, hers);
      await said("Of another", thread, other);
      await people.setRole(ada.id, "member");
      expect(await led()).toEqual([null, hers.id]);
      const gateway = await kit.gateway();
      expect(await kit.drain(buildSessionKey(chat), gateway)).toEqual(["Hers"]);
      expect(await kit.drain(buildSessionKey(thread), gateway)).toEqual([]);
      await said("Hers no more", thread, hers);
      await people.unlink(ADA);
      expect(await led()).toEqual([null, null]);
      expect(await kit.drain(buildSessionKey(thread), gateway)).toEqual([]);
    });

    test("the passes of an operator who becomes a member are revoked, used or not", async (kit) => {
      const { people, codes } = kit.store;
      const ada = await added(kit, "Ada", "operator", ADA);
      const { id: sessionId } = await kit.session();
      const made = { kind: "pass", sessionId, who: null, ttlMs: LEASE_MS } as const;
      const give = (issuer: UserId, person: UserId | null) =>
        codes.create({ ...made, code: newCode(), issuer, person });
      const hers = [await give(ada.id, ada.id), await give(ada.id, null)];
      const forHer = await give(OPERATOR, ada.id);
      await people.setRole(ada.id, "member");
      const states = await Promise.all([...hers, forHer].map(async ({ number }) => (await codes.get(number))?.state));
      expect(states).toEqual(["revoked", "revoked", "open"]);
    });

    test("who loses a right has their running turns asked to stop in the same step", async (kit) => {
      const { people } = kit.store;
      const acts: readonly ((person: Person) => Promise<unknown>)[] = [
        ({ id }) => people.remove(id),
        ({ id }) => people.setRole(id, "member"),
        () => people.unlink(ADA),
      ];
      for (const act of acts) {
        const person = await added(kit, "Ada", "operator", ADA);
        const turn = await running(kit);
        await act(person);
        expect(await isRevoked(kit, turn)).toBe(true);
        await people.remove(person.id);
      }
    });

    test("a removed person, or one whose account is unlinked, is offered nothing any more", async (kit) => {
      const { people, asks } = kit.store;
      for (const act of [(id: UserId) => people.remove(id), () => people.unlink(ADA)]) {
        const { id: person } = await added(kit, "Ada", "member", ADA);
        const { id: session } = await kit.session({ user: person });
        await kit.exchange(session, "make a plan", "here it is");
        const { id: fresh } = await kit.session({ origin: HOME_KEY, user: person });
        await kit.store.bindings.bind({ ...AT_HOME, sessionId: fresh, mirrors: true });
        const { id: inboxId } = await kit.accepted("how is it going?");
        const offer = offerOf(session, { person });
        const { turn, fence } = await kit.granted(fresh, {
          ...{ cause: { kind: "inbox", inboxId }, surface: HOME_KEY, offer },
          message: { role: "user", text: "how is it going?" },
        });
        expect(await asks.takeAlong(offer.id)).toMatchObject({ state: "waits" });
        await act(person);
        await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "interrupted", messages: [], outbox: [] });
        expect(await asks.get(offer.id)).toMatchObject({ state: "expired" });
        expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({ sessionId: fresh });
        await people.remove(person);
      }
    });

    test("who keeps their rights keeps their turns, and so does everybody else", async (kit) => {
      const { people } = kit.store;
      const ada = await added(kit, "Ada", "member", ADA, ADA_ELSEWHERE);
      const bob = await added(kit, "Bob", "operator", { ...ADA, key: "bob" }, { ...ADA, account: "shop" });
      const turn = await running(kit);
      const { turn: typed } = await kit.granted((await kit.session()).id);
      await people.setRole(ada.id, "operator");
      await people.rename(ada.id, "Grace");
      await people.unlink(ADA_ELSEWHERE);
      await people.remove(bob.id);
      for (const turnId of [turn.turnId, typed.id]) expect(await isRevoked(kit, { turnId })).toBe(false);
    });

    test("a number that changes hands does not carry a link along", async (kit) => {
      const { people, identities } = kit.store;
      const heard = (...written: string[]) =>
        identities.note(PAGER, {
          ids: written.map((id) => ({ id, strength: id.startsWith("+") ? "weak" : "strong" })),
          ...{ keys: written, word: "message", keep: true },
        });
      const whose = async (...written: string[]) => (await people.of(PAGER, (await heard(...written)).key))?.name;
      await added(kit, "Ada", "operator", { ...PAGER, key: (await heard("+1", "uuid-ada")).key });
      // Somebody else has the number from now on: with an id of their own, and by the number alone.
      expect(await whose("+1", "uuid-bob")).toBeUndefined();
      expect(await whose("+1")).toBeUndefined();
      expect(await whose("uuid-ada")).toBe("Ada");
      expect(await whose("+2", "uuid-ada")).toBe("Ada");
      expect(await whose("+2")).toBe("Ada");
    });

    test("a link stays with who changes their number, not with who gets the former one", async (kit) => {
      const { people, identities } = kit.store;
      const weak = (id: string) => [{ id, strength: "weak" }] as const;
      const note = { keys: [], word: "message", keep: true } as const;
      const { key } = await identities.note(PAGER, { ...note, ids: weak("+1") });
      await added(kit, "Ada", "operator", { ...PAGER, key });
      await identities.link(PAGER, { from: weak("+1"), to: weak("+2"), keep: false });
      const now = await identities.note(PAGER, { ...note, ids: weak("+2") });
      expect(await people.of(PAGER, now.key)).toMatchObject({ name: "Ada" });
      const next = await identities.note(PAGER, { ...note, ids: weak("+1") });
      expect(await people.of(PAGER, next.key)).toBeNull();
    });

    test("whom the platform calls one person is linked as that, with what both began", async (kit) => {
      const { people, identities } = kit.store;
      const strong = (id: string) => [{ id, strength: "strong" }] as const;
      const keyOf = async (id: string) =>
        (await identities.note(PAGER, { ids: strong(id), keys: [id], word: "message", keep: true })).key;
      const [old, later] = [await keyOf("old"), await keyOf("new")];
      const begun = await kit.session({ user: userOfIdentity({ ...PAGER, key: old }) });
      const ada = await added(kit, "Ada", "member", { ...PAGER, key: later });
      const person = await identities.link(PAGER, { from: strong("old"), to: strong("new"), keep: true });
      expect(await people.of(PAGER, person.key)).toMatchObject({ id: ada.id });
      expect((await people.get(ada.id))?.identities).toHaveLength(1);
      expect((await kit.store.sessions.get(begun.id))?.user).toBe(ada.id);
    });

    test("a link to somebody of whom nothing is kept is nobody's later on", async (kit) => {
      const { people, identities } = kit.store;
      await added(kit, "Ada", "operator", { ...PAGER, key: "+1" });
      const ids = [{ id: "+1", strength: "weak" }] as const;
      const { key } = await identities.note(PAGER, { ids, keys: ["+1"], word: "message", keep: true });
      expect(await people.of(PAGER, key)).toBeNull();
    });
  });
}
