import { buildSessionKey } from "@hermes/core";
import type { Store, UserId } from "@hermes/core/embed";
import { LEASE_MS } from "../kit.ts";
import { SAID, type SecretRows } from "../secret-rows.ts";
import type { Plants } from "./plants.ts";

/** Passes secrets to the calls about people and what they may do. */
export function peoplePlants(
  rows: SecretRows,
  store: Store,
): Plants<"users" | "identities" | "people" | "homePeople" | "grants" | "codes"> {
  const { named, place, holder, session, entry, scope } = rows;
  const strong = () => ({ id: named("person"), strength: "strong" }) as const;
  const home = () => ({
    ...{ ...scope(), home: named("chat"), chat: buildSessionKey(place()), name: SAID },
    ...{ isPrivate: true, present: [named("person")] },
  });
  return {
    users: {
      note: () => store.users.note(named("user") as UserId, SAID),
      name: () => store.users.name(named("user") as UserId),
      countRefused: () => store.users.countRefused(named("platform"), named("account")),
      refused: () => store.users.refused(named("platform"), named("account")),
    },
    identities: {
      note: () =>
        store.identities.note(scope(), { ids: [strong()], keys: [named("person")], word: "message", keep: true }),
      link: () => store.identities.link(scope(), { from: [strong()], to: [strong()], keep: true }),
      part: () => store.identities.part(scope()),
      adopt: () => store.identities.adopt(scope(), [{ key: named("person"), ids: [strong(), strong()] }]),
      person: () => store.identities.person(scope(), named("person")),
      holder: () => store.identities.holder(scope(), named("person")),
      list: () => store.identities.list(),
    },
    people: {
      add: () => person(),
      get: async () => store.people.get((await person()).id),
      find: () => store.people.find(named("person")),
      list: () => store.people.list(),
      setRole: async () => store.people.setRole((await person()).id, "operator"),
      rename: async () => store.people.rename((await person()).id, `${SAID} ${named("person")}`),
      remove: async () => store.people.remove((await person()).id),
      link: () => linked(),
      unlink: async () => store.people.unlink(await linked()),
      of: async () => {
        const identity = await linked();
        await store.people.of(identity, identity.key);
      },
      lastSeen: () => store.people.lastSeen(),
      standing: async () => {
        const identity = await linked();
        await store.people.standing(identity, identity.key);
      },
    },
    homePeople: {
      see: () => store.homePeople.see({ ...home(), isFixed: true }),
      set: () => store.homePeople.set(home(), named("person"), "terminal"),
      told: async () => {
        const seen = home();
        await store.homePeople.see({ ...seen, isFixed: true });
        await store.homePeople.told(seen);
      },
      get: () => store.homePeople.get(home()),
      list: () => store.homePeople.list(),
    },
    grants: {
      publish: published,
      current: async () => store.grants.current(await published()),
    },
    codes: {
      create: code,
      requestPairing: () =>
        store.codes.requestPairing({ code: named("code"), who: sender(), ttlMs: LEASE_MS, outbox: [entry(place())] }),
      find: () => store.codes.find(named("code")),
      get: async () => store.codes.get((await code()).number),
      passAt: () => store.codes.passAt(buildSessionKey(place())),
      list: () => store.codes.list("link"),
      redeem: async () => {
        const text = named("code");
        await code(text);
        const request = { code: text, who: sender(), user: named("user") as UserId, messageId: named("message") };
        await store.codes.redeem({ ...request, mirrors: false, outbox: [entry(place())] });
        await store.codes.redeem({ ...request, mirrors: false, outbox: [] });
        return store.codes.redeem({ ...request, code: named("code"), mirrors: false, outbox: [] });
      },
      take: async () => store.codes.take((await code()).number),
      settle: async () => store.codes.settle((await code()).number, "done", [entry(place())]),
      revoke: async () => store.codes.revoke((await code()).number),
    },
  };

  function sender() {
    const conversation = place();
    const ids = { key: named("person"), id: named("person"), name: SAID };
    return { ...scope(), ...ids, conversation, surface: buildSessionKey(conversation) };
  }

  async function code(text = named("code")) {
    const [issuer, person] = [named("user") as UserId, named("user") as UserId];
    const made = { code: text, issuer, person, sessionId: await session(), who: null, ttlMs: LEASE_MS };
    return store.codes.create({ ...made, kind: "link" });
  }

  /** Names of people are one each, so each has a word of its own beside the secret. */
  function person() {
    return store.people.add({ name: `${SAID} ${named("person")}`, role: "member" });
  }

  async function linked() {
    const identity = { ...scope(), key: named("person") };
    await store.people.link(identity, (await person()).id, "code", SAID);
    return identity;
  }

  async function published() {
    const by = holder();
    const grants = {
      ...{ ...scope(), home: { chatId: named("chat"), chat: buildSessionKey(place()) } },
      ...{ operators: [named("person")], allowedUsers: [named("person")], allowedBots: [named("bot")] },
    };
    await store.leases.acquire(`account:${grants.platform}:${grants.account}`, by, LEASE_MS);
    await store.grants.publish(grants, by);
    return grants;
  }
}
