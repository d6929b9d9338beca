import type { InboxRow, LineId, Person, Store, UserId } from "@hermes/core/embed";
import { EVERY_SESSION, newAskId, newCode, OPERATOR } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { offerOf } from "./asks.ts";
import { senderOf } from "./codes.ts";
import { compactionOf } from "./compactions.ts";
import {
  AT_HOME,
  AT_THREAD,
  entry,
  HOME,
  HOME_KEY,
  type Kit,
  LEASE_MS,
  type StoreTest,
  THREAD,
  THREAD_KEY,
} from "./kit.ts";
import { viewOf } from "./views.ts";
import { asks, decide, deliverer, resumed, turnOf, type Waiting, waiting } from "./waiting.ts";

/** A call that is to leave a turn that waits as it is; null for one that ends or moves it, which other proofs show. */
type Act = ((kit: Kit, held: Waiting) => Promise<unknown>) | null;

/** Each call of each part of a store: the compiler demands an entry for a new one. */
type Acts = {
  readonly [Part in Exclude<keyof Store, "prune" | "watch" | "close">]: {
    readonly [Call in keyof Store[Part]]: Act;
  };
};

const NOTICE = { kind: "notice", markdown: "Before:" } as const;
const ERROR = { code: "INTERNAL", text: "it was lost" } as const;
const AWAY_TO = { kind: "home", platform: "pager", account: undefined } as const;
const SCOPE = { platform: "pager", account: "" };
const HOME_OF = { ...SCOPE, home: "100", chat: HOME_KEY, name: "Ada", isPrivate: true, present: ["ada"] };
const LINE = "line-1" as LineId;

function linkCode(kit: Kit) {
  const code = {
    code: newCode(),
    kind: "link",
    issuer: OPERATOR,
    person: OPERATOR,
    sessionId: null,
    who: null,
  } as const;
  return kit.store.codes.create({ ...code, ttlMs: LEASE_MS });
}

async function row(kit: Kit) {
  const [one] = await kit.store.outbox.enqueue([entry("said there", THREAD)]);
  if (one === undefined) throw new Error("nothing was queued");
  await kit.store.outbox.beginSend(one.id, await deliverer(kit), [{ text: "said there" }]);
  return one.id;
}

async function failed(kit: Kit) {
  const id = await row(kit);
  await kit.store.outbox.settleSend(id, { kind: "failed", error: ERROR });
  return id;
}

/** A handoff of the session in which the turn waits, up to its claim; it is taken back by the one who asked. */
async function claimed(kit: Kit, { id }: Waiting) {
  const by = kit.process("gateway");
  return { id: await kit.claimed(id, by), by };
}

const handedOff =
  (act: (kit: Kit, handoff: Awaited<ReturnType<typeof claimed>>) => Promise<unknown>): Act =>
  async (kit, held) => {
    const handoff = await claimed(kit, held);
    await act(kit, handoff);
    await kit.store.handoffs.failHandoff(handoff.id, handoff.by, ERROR);
  };

/** A person with the identity of the turn's author, for the time of the call. */
const ofPerson =
  (act: (kit: Kit, person: Person) => Promise<unknown>): Act =>
  async (kit) => {
    const { people } = kit.store;
    const person = await people.add({ name: "Ada", role: "operator" });
    await people.link({ ...SCOPE, key: "ada" }, person.id, "code", null);
    await act(kit, person);
    await people.remove(person.id);
  };

const writing = (write: (store: Store, held: Waiting) => Promise<unknown>): Act => {
  return async (kit, held) => {
    const { fence } = await turnOf(kit, held);
    for (const one of [held.fence, fence]) {
      await write(kit.store, { ...held, fence: one }).catch((error: { code?: string }) => {
        if (error.code !== "TURN_SUPERSEDED") throw error;
      });
    }
  };
};

const ACTS: Acts = {
  sessions: {
    create: (kit) => kit.session(),
    fork: (kit, { id }) => kit.store.sessions.fork({ sessionId: id, upTo: null, user: OPERATOR }),
    get: (kit, { id }) => kit.store.sessions.get(id),
    list: (kit) => kit.store.sessions.list({ visible: { kind: "all" }, limit: 5 }),
    keptState: (kit, { id }) => kit.store.sessions.keptState(id),
    find: (kit) => kit.store.sessions.find("plan", { kind: "all" }),
    setTitle: (kit, { id }) => kit.store.sessions.setTitle(id, "plan"),
    setMode: (kit, { id }) => kit.store.sessions.setMode(id, "plan"),
    setModel: (kit, { id }) => kit.store.sessions.setModel(id, "a/model"),
    delete: null,
    count: (kit) => kit.store.sessions.count(),
  },
  transcripts: {
    read: (kit, { id }) => kit.store.transcripts.read(id),
    search: (kit) => kit.store.transcripts.search({ text: "run", visible: { kind: "all" }, limit: 5 }),
  },
  compactions: {
    add: writing((store, { turnId, fence }) => store.compactions.add(turnId, fence, compactionOf(1))),
    latest: (kit, { id }) => kit.store.compactions.latest(id),
    list: (kit, { id }) => kit.store.compactions.list(id, 5),
  },
  turns: {
    startTurn: (kit, { id }) => kit.turn(id),
    renewTurn: writing((store, { turnId, fence }) => store.turns.renewTurn(turnId, fence, LEASE_MS)),
    append: writing((store, { turnId, fence }) => store.turns.append(turnId, fence, [{ role: "user", text: "late" }])),
    takeIn: writing((store, { turnId, fence }) =>
      store.turns.takeIn(turnId, fence, [
        { inboxId: "inb_1" as InboxRow["id"], digest: "", message: { role: "user", text: "late" } },
      ]),
    ),
    beginCall: writing((store, { turnId, fence }) =>
      store.turns.beginCall(turnId, fence, { id: "1.1", repeats: true }),
    ),
    noteProcess: writing((store, { turnId, fence }) =>
      store.turns.noteProcess(turnId, fence, "1.1", { id: "call_1", host: "here", pid: 7, pidStart: "1" }),
    ),
    leftRunning: (kit) => kit.store.turns.leftRunning(),
    processEnded: (kit) => kit.store.turns.processEnded("call_1"),
    finishTurn: writing((store, { turnId, fence }) =>
      store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [entry("late")] }),
    ),
    parkTurn: writing((store, { turnId, fence }) =>
      store.turns.parkTurn({
        ...{ turnId, fence, reason: "approval", approvals: [asks("1.1")], shownAt: [AT_HOME], outbox: [] },
      }),
    ),
    resumeTurn: async (kit, { turnId }) => {
      const request = { turnId, holder: kit.process(), leaseMs: LEASE_MS };
      expect(await kit.store.turns.resumeTurn(request)).toEqual({ ok: false, reason: "open" });
    },
    resumable: async (kit) => {
      expect(await kit.store.turns.resumable({ platform: "pager", account: undefined })).toEqual([]);
      expect(await kit.store.turns.resumable("terminal")).toEqual([]);
    },
    noteText: async (kit, held) => {
      await kit.store.views.keep(viewOf(kit, held.id));
      await writing((store, { turnId, fence }) => store.turns.noteText(turnId, fence, "late"))?.(kit, held);
    },
    noteOutput: async (kit, held) => {
      await kit.store.views.keep(viewOf(kit, held.id, { surface: AT_HOME.key }));
      await writing((store, { turnId, fence }) => store.turns.noteOutput(turnId, fence, "1.1", "late"))?.(kit, held);
    },
    growing: async (kit, { id }) => expect(await kit.store.turns.growing(id)).toBeNull(),
    calls: (kit, { turnId }) => kit.store.turns.calls([turnId]),
    marks: (kit, { turnId }) => kit.store.turns.marks([turnId]),
    running: (kit, { id }) => kit.store.turns.running(id),
    get: (kit, { turnId }) => kit.store.turns.get(turnId),
    requestStop: null,
    undoLast: null,
    rewind: async (kit, { id }) => {
      const rewound = kit.store.turns.rewind({ sessionId: id, seq: 1, surface: "terminal", told: NOTICE });
      await expect(rewound).rejects.toMatchObject({ code: "TURN_WAITS" });
    },
    lastUndone: (kit, { id }) => kit.store.turns.lastUndone(id),
  },
  approvals: {
    decide: null,
    get: (kit, { approvals }) => Promise.all(approvals.map(({ id }) => kit.store.approvals.get(id))),
    byCode: (kit, { approvals }) => Promise.all(approvals.map(({ code }) => kit.store.approvals.byCode(code))),
    ofTurn: (kit, { turnId }) => kit.store.approvals.ofTurn(turnId),
    open: (kit) => kit.store.approvals.open(),
    shownAt: (kit) => kit.store.approvals.shownAt(HOME_KEY),
    showAt: (kit, { id }) => kit.store.approvals.showAt(id, AT_THREAD),
    unreminded: (kit) => kit.store.approvals.unreminded(SCOPE, 0),
    remind: (kit, { approvals }) =>
      Promise.all(approvals.map(({ id }) => kit.store.approvals.remind(id, { ...AT_HOME, message: NOTICE }))),
    allowedInSession: (kit, { id }) => kit.store.approvals.allowedInSession(id),
  },
  asks: {
    open: (kit, { id }) => kit.store.asks.open(offerOf(id)),
    get: (kit) => kit.store.asks.get(newAskId()),
    shownAt: (kit) => kit.store.asks.shownAt(HOME_KEY),
    decide: async (kit, { id }) => kit.store.asks.decide((await kit.store.asks.open(offerOf(id))).id, "declined"),
    offerable: (kit) => kit.store.asks.offerable({ person: OPERATOR, surface: THREAD_KEY, visible: EVERY_SESSION }),
    takeAlong: async (kit, { id }) => {
      const { id: other } = await kit.session();
      for (const offer of [offerOf(id, { fresh: other }), offerOf(other, { fresh: id })]) {
        await kit.store.asks.takeAlong((await kit.store.asks.open(offer)).id);
      }
    },
  },
  typedLines: {
    keep: (kit, { id }) => kit.store.typedLines.keep(id, [{ id: LINE, text: "later" }], kit.process(), LEASE_MS),
    renew: (kit) => kit.store.typedLines.renew(kit.process(), LEASE_MS),
    remove: (kit) => kit.store.typedLines.remove([LINE], kit.process()),
    release: (kit) => kit.store.typedLines.release(kit.process()),
    left: (kit, { id }) => kit.store.typedLines.left(id),
    takeOver: (kit) => kit.store.typedLines.takeOver([LINE], kit.process(), LEASE_MS),
  },
  handoffs: {
    requestHandoff: async (kit, { id }) => kit.store.handoffs.cancelHandoff((await kit.requested(id)).id),
    cancelHandoff: async (kit, { id }) => kit.store.handoffs.cancelHandoff((await kit.requested(id)).id),
    claimHandoff: handedOff(async () => {}),
    failHandoff: handedOff(async () => {}),
    renewHandoff: handedOff((kit, { id, by }) => kit.store.handoffs.renewHandoff(id, by, LEASE_MS)),
    intendThread: handedOff((kit, { id, by }) => kit.store.handoffs.intendThread(id, by)),
    advanceHandoff: handedOff((kit, { id, by }) => kit.store.handoffs.advanceHandoff(id, by, "threaded")),
    completeHandoff: handedOff((kit, { id, by }) => kit.store.handoffs.completeHandoff(id, by)),
    reclaimHandoffs: handedOff((kit) => kit.store.handoffs.reclaimHandoffs(SCOPE, kit.process("gateway"), LEASE_MS)),
    bindHandoff: null,
    toTerminal: null,
    offeredToTerminal: (kit) => kit.store.handoffs.offeredToTerminal(),
    taken: handedOff((kit, { id }) => kit.store.handoffs.taken(id)),
    compensateHandoff: null,
    leftThreads: (kit) => kit.store.handoffs.leftThreads(SCOPE),
    threadRemoved: handedOff((kit, { id }) => kit.store.handoffs.threadRemoved(id)),
    get: handedOff((kit, { id }) => kit.store.handoffs.get(id)),
    latestOf: (kit, { id }) => kit.store.handoffs.latestOf(id),
    latestBoundAt: (kit) => kit.store.handoffs.latestBoundAt(HOME_KEY),
    list: (kit) => kit.store.handoffs.list({ limit: 5 }),
    listPendingHandoffs: (kit) => kit.store.handoffs.listPendingHandoffs(),
  },
  away: {
    set: (kit, { id }) => kit.store.away.set(id, { to: AWAY_TO, restMs: 60_000, by: OPERATOR }),
    get: (kit, { id }) => kit.store.away.get(id),
    isSet: (kit) => kit.store.away.isSet(),
    clear: (kit, { id }) => kit.store.away.clear(id),
    left: (kit, { id }) => kit.store.away.left(id, kit.clock.now()),
    // The turn goes along.
    go: null,
  },
  bindings: {
    bind: (kit, { id }) => kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: true }),
    get: (kit) => kit.store.bindings.get(HOME_KEY),
    of: (kit, { id }) => kit.store.bindings.of(id),
    part: (kit, { id }) => kit.store.bindings.part(HOME_KEY, id, []),
    unbind: (kit) => kit.store.bindings.unbind(HOME_KEY),
    missedSession: (kit) => kit.store.bindings.missedSession(HOME_KEY, { sentAt: 0, receivedAt: 0 }),
    home: (kit) => kit.store.bindings.home("pager", undefined),
    setHome: (kit) => kit.store.bindings.setHome("pager", undefined, { chatId: "100" }),
    moveChat: null,
  },
  inbox: {
    acceptInbound: (kit) => kit.accepted("and now?"),
    head: (kit) => kit.store.inbox.head(HOME_KEY),
    hasRows: (kit) => kit.store.inbox.hasRows(HOME_KEY),
    next: async (kit) => kit.store.inbox.next((await kit.accepted("and then?")).id),
    openLanes: (kit) => kit.store.inbox.openLanes("pager", undefined),
    settle: async (kit) => kit.store.inbox.settle((await kit.accepted("/status")).id, []),
    retract: async (kit) => kit.store.inbox.retract(HOME, (await kit.accepted("never mind")).message.messageId),
    said: (kit) => kit.store.inbox.said(HOME, "m1"),
  },
  outbox: {
    enqueue: (kit) => kit.store.outbox.enqueue([entry("another one")]),
    openLanes: (kit) => kit.store.outbox.openLanes("pager", undefined),
    head: (kit) => kit.store.outbox.head(HOME_KEY),
    beginSend: row,
    settleSend: failed,
    settleLate: (kit) => kit.store.outbox.settleLate("pager", undefined, "nobody", null),
    giveBack: async (kit) => kit.store.outbox.giveBack(await row(kit), await deliverer(kit)),
    leaveDraft: async (kit) => kit.store.outbox.leaveDraft(await row(kit)),
    takeDraft: async (kit) => kit.store.outbox.takeDraft(await row(kit), "d"),
    ofHandoff: handedOff((kit, { id }) => kit.store.outbox.ofHandoff(id)),
    refusalOf: handedOff((kit, { id }) => kit.store.outbox.refusalOf(id)),
    moveLane: null,
    saveDraft: (kit, { turnId }) =>
      kit.store.outbox.saveDraft({ ...AT_HOME, sendKey: "draft:late", turnId, messageId: "d" }),
    draft: (kit) => kit.store.outbox.draft("draft:late"),
    draftOf: (kit, { turnId }) => kit.store.outbox.draftOf(turnId),
    counts: (kit) => kit.store.outbox.counts("pager", undefined),
  },
  deliveries: {
    list: (kit) => kit.store.deliveries.list({ waiting: true, limit: 5 }),
    get: async (kit) => kit.store.deliveries.get(await failed(kit)),
    offer: async (kit) => {
      await failed(kit);
      await kit.store.deliveries.offer(AT_THREAD, { failed: NOTICE, uncertain: NOTICE }, 5);
    },
    retry: async (kit) => kit.store.deliveries.retry(await failed(kit)),
    drop: async (kit) => kit.store.deliveries.drop(await failed(kit)),
    untold: (kit) => kit.store.deliveries.untold(5),
    tell: async (kit) => kit.store.deliveries.tell(await failed(kit), [entry("it was refused")]),
  },
  leases: {
    acquire: (kit) => kit.store.leases.acquire("x", kit.process(), LEASE_MS),
    release: (kit) => kit.store.leases.release("x", kit.process()),
  },
  gateways: {
    heartbeat: (kit) => {
      const gateway = { id: "gw_1", holder: kit.process("gateway"), startedAt: 1, configPath: null, platforms: [] };
      return kit.store.gateways.heartbeat(gateway);
    },
    alive: (kit) => kit.store.gateways.alive(),
    silent: (kit) => kit.store.gateways.silent(),
    remove: (kit) => kit.store.gateways.remove("gw_1"),
  },
  users: {
    note: (kit) => kit.store.users.note("pager:ada" as UserId, "Ada"),
    name: (kit) => kit.store.users.name("pager:ada" as UserId),
    countRefused: (kit) => kit.store.users.countRefused("pager", undefined),
    refused: (kit) => kit.store.users.refused("pager", undefined),
  },
  identities: {
    note: (kit) =>
      kit.store.identities.note(SCOPE, {
        ids: [{ id: "ada", strength: "strong" }],
        keys: [],
        word: "message",
        keep: true,
      }),
    link: (kit) =>
      kit.store.identities.link(SCOPE, {
        ...{ from: [{ id: "ada", strength: "strong" }], to: [{ id: "ada-2", strength: "strong" }], keep: true },
      }),
    adopt: (kit) => kit.store.identities.adopt(SCOPE, [{ key: "ada", ids: [{ id: "ada", strength: "strong" }] }]),
    part: (kit) => kit.store.identities.part(SCOPE),
    person: (kit) => kit.store.identities.person(SCOPE, "ada"),
    holder: (kit) => kit.store.identities.holder(SCOPE, "ada"),
    list: (kit) => kit.store.identities.list(),
  },
  people: {
    add: (kit) => kit.store.people.add({ name: "Grace", role: "member" }),
    get: (kit) => kit.store.people.get(OPERATOR),
    find: (kit) => kit.store.people.find("ada"),
    list: (kit) => kit.store.people.list(),
    setRole: ofPerson((kit, { id }) => kit.store.people.setRole(id, "member")),
    rename: ofPerson((kit, { id }) => kit.store.people.rename(id, "Eve")),
    remove: ofPerson((kit, { id }) => kit.store.people.remove(id)),
    link: ofPerson((kit, { id }) => kit.store.people.link({ ...SCOPE, key: "ada" }, id, "terminal", "Ada")),
    unlink: ofPerson((kit) => kit.store.people.unlink({ ...SCOPE, key: "ada" })),
    of: (kit) => kit.store.people.of(SCOPE, "ada"),
    lastSeen: (kit) => kit.store.people.lastSeen(),
    standing: (kit) => kit.store.people.standing(SCOPE, "ada"),
  },
  homePeople: {
    see: (kit) => kit.store.homePeople.see({ ...HOME_OF, isFixed: true }),
    set: (kit) => kit.store.homePeople.set(HOME_OF, "ada", "terminal"),
    told: (kit) => kit.store.homePeople.told(HOME_OF),
    get: (kit) => kit.store.homePeople.get(HOME_OF),
    list: (kit) => kit.store.homePeople.list(),
  },
  grants: {
    publish: async (kit) => {
      const grants = { ...SCOPE, operators: [], allowedUsers: [], allowedBots: [], home: null, chat: null };
      await kit.store.grants.publish(grants, await deliverer(kit));
    },
    current: (kit) => kit.store.grants.current(SCOPE),
  },
  codes: {
    create: (kit) => linkCode(kit),
    requestPairing: (kit) =>
      kit.store.codes.requestPairing({ code: newCode(), who: senderOf("eve"), ttlMs: LEASE_MS, outbox: [] }),
    find: (kit) => kit.store.codes.find(newCode()),
    get: (kit) => kit.store.codes.get(1),
    passAt: (kit) => kit.store.codes.passAt(HOME_KEY),
    list: (kit) => kit.store.codes.list("link"),
    redeem: (kit) =>
      kit.store.codes.redeem({
        ...{ code: newCode(), who: senderOf("eve"), user: null, messageId: "m", mirrors: false, outbox: [] },
      }),
    take: async (kit) => kit.store.codes.take((await linkCode(kit)).number),
    settle: async (kit) => kit.store.codes.settle((await linkCode(kit)).number, "done"),
    revoke: async (kit) => kit.store.codes.revoke((await linkCode(kit)).number),
  },
  views: {
    keep: (kit, { id }) => kit.store.views.keep(viewOf(kit, id)),
    close: (kit) => kit.store.views.close(kit.process()),
    of: (kit, { id }) => kit.store.views.of(id),
  },
  places: {
    note: (kit) => kit.store.places.note({ ...AT_HOME, name: "Ada", word: "heard", person: null }),
    configured: (kit) => kit.store.places.configured(SCOPE, []),
    get: (kit) => kit.store.places.get(HOME_KEY),
    list: (kit) => kit.store.places.list(),
  },
  files: {
    named: (kit) => kit.store.files.named(["0".repeat(64)]),
  },
  usage: {
    lastOf: (kit, { id }) => kit.store.usage.lastOf(id),
    sum: (kit, { id }) => kit.store.usage.sum({ session: id }),
    raised: (kit) => kit.store.usage.raised("day:2026-11-29"),
    raise: (kit) => kit.store.usage.raise({ subject: "day:2026-11-29", cost: 1, tokens: 1 }, null),
    groups: (kit) => kit.store.usage.groups("day", { limit: 5 }),
  },
  overview: {
    lanes: (kit) => kit.store.overview.lanes({ limit: 5 }),
    leases: (kit) => kit.store.overview.leases(),
  },
};

export function describeEveryCall(test: StoreTest): void {
  describe("a turn that waits", () => {
    for (const [part, acts] of Object.entries(ACTS)) {
      test(`no call of ${part} takes it for stale, or writes into it`, async (kit) => {
        const held = await waiting(kit);
        const before = [
          await turnOf(kit, held),
          await kit.texts(held.id),
          await kit.store.approvals.ofTurn(held.turnId),
        ];
        for (const [call, act] of Object.entries(acts) as [string, Act][]) {
          await kit.clock.advance(2 * LEASE_MS);
          await act?.(kit, held);
          const after = [
            await turnOf(kit, held),
            await kit.texts(held.id),
            await kit.store.approvals.ofTurn(held.turnId),
          ];
          expect(after, call).toEqual(before);
        }
        for (const approval of held.approvals) await decide(kit, approval);
        expect((await resumed(kit, held.turnId)).turn).toMatchObject({ attempt: 1, surface: HOME_KEY });
      });
    }
  });
}
