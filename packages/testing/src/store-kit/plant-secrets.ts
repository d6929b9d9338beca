import { buildSessionKey, chatOf } from "@hermes/core";
import type { Ask, Holder, LineId, NewAsk, NewMessage, Store } from "@hermes/core/embed";
import { EVERY_SESSION, newAskId, OPERATOR, type SessionId, type UserId } from "@hermes/core/embed";
import { compactionOf } from "./compactions.ts";
import { type Kit, LEASE_MS } from "./kit.ts";
import { ERROR, granted, KNOWN_SECRET, SAID, secretRows } from "./secret-rows.ts";
import { usedBy } from "./usage.ts";

/** Each call of each part of a store: the compiler demands an entry for a new one. */
type Plants = {
  readonly [Part in Exclude<keyof Store, "prune" | "watch" | "close">]: {
    readonly [Call in keyof Store[Part]]: () => Promise<unknown>;
  };
};

/** Passes secrets to every call of `store`, in every text and in every id. */
export async function plantSecrets(kit: Kit, store: Store): Promise<void> {
  for (const part of Object.values(plants(kit, store))) for (const plant of Object.values(part)) await plant();
}

function plants(kit: Kit, store: Store): Plants {
  const {
    named,
    place,
    holder,
    session,
    message,
    entry,
    asked,
    calls,
    turn,
    parked,
    decide,
    handoff,
    bound,
    facts,
    sending,
    sent,
    bind,
  } = secretRows(kit, store);
  const refused = async () => {
    const { id } = await sending();
    return store.outbox.settleSend(id, { kind: "failed", error: ERROR });
  };
  const view = (sessionId: SessionId) => {
    const surface = buildSessionKey(place());
    return store.views.keep({ sessionId, holder: holder(), surface, restedMs: 0, leaseMs: LEASE_MS });
  };
  const scope = () => ({ platform: named("platform"), account: named("account") });
  const strong = () => ({ id: named("person"), strength: "strong" }) as const;
  const home = () => ({
    ...{ ...scope(), home: named("chat"), chat: buildSessionKey(place()), name: SAID },
    ...{ isPrivate: true, present: [named("person")] },
  });
  return {
    sessions: {
      create: session,
      fork: async () => store.sessions.fork({ sessionId: await session(), upTo: null, user: OPERATOR }),
      setTitle: async () => store.sessions.setTitle(await session(), `named ${SAID}`),
      setMode: async () => store.sessions.setMode(await session(), "plan"),
      setModel: async () => store.sessions.setModel(await session(), named("model")),
      delete: async () => {
        const { sessionId } = await bind(place());
        return store.sessions.delete(sessionId, entry(place()).message);
      },
      get: async () => store.sessions.get(await session()),
      keptState: async () => store.sessions.keptState(await session()),
      list: () => store.sessions.list({ visible: EVERY_SESSION, limit: 5 }),
      find: () => store.sessions.find(SAID, EVERY_SESSION),
      count: () => store.sessions.count(),
    },
    transcripts: {
      read: async () => store.transcripts.read(await session()),
      search: () => store.transcripts.search({ text: SAID, visible: EVERY_SESSION, limit: 5 }),
    },
    compactions: {
      add: async () => {
        const { turn: begun, fence } = await turn(await session());
        await store.compactions.add(begun.id, fence, {
          ...compactionOf(1),
          summary: SAID,
          facts: {
            ...{ requests: [1], todo: [{ text: SAID, state: "open" }], openQuestions: [SAID], denials: [SAID] },
            ...{ firstRequest: SAID, files: [SAID], said: 1, calls: 1 },
          },
          work: {
            ...{ task: SAID, progress: SAID, nextStep: SAID, decisions: [SAID], openQuestions: [SAID], files: [SAID] },
            ...{ model: named("model"), at: 0 },
          },
        });
        return store.compactions.latest(begun.sessionId);
      },
      latest: async () => store.compactions.latest(await session()),
      list: async () => store.compactions.list(await session(), 5),
    },
    turns: {
      calls: async () => {
        const { turn: begun, fence } = await turn(await session());
        await store.turns.append(begun.id, fence, [calls, { role: "tool", text: SAID, toolCallId: named("call") }]);
        return store.turns.calls([begun.id]);
      },
      startTurn: async () => turn(await session()),
      append: async () => {
        const { turn: begun, fence } = await turn(await session());
        await store.turns.append(begun.id, fence, [calls, { role: "tool", text: SAID, toolCallId: named("call") }]);
      },
      takeIn: async () => {
        const { turn: begun, fence } = await turn(await session());
        const at = place();
        const accepted = await store.inbox.acceptInbound(buildSessionKey(at), message(at));
        const said = { role: "user", text: SAID } as const;
        if (accepted.outcome !== "accepted") return;
        await store.turns.takeIn(begun.id, fence, [{ inboxId: accepted.row.id, message: said }]);
      },
      beginCall: async () => {
        const { turn: begun, fence } = await turn(await session());
        await store.turns.append(begun.id, fence, [calls]);
        await store.turns.beginCall(begun.id, fence, { id: calls.toolCalls?.[0]?.id ?? "", repeats: true });
      },
      noteProcess: async () => {
        const { turn: begun, fence } = await turn(await session());
        const { id, host, pid, pidStart } = holder();
        await store.turns.noteProcess(begun.id, fence, named("call"), { id, host, pid, pidStart });
      },
      leftRunning: () => store.turns.leftRunning(),
      processEnded: () => store.turns.processEnded(named("process")),
      finishTurn: async () => {
        const at = place();
        const surface = buildSessionKey(at);
        const accepted = await store.inbox.acceptInbound(surface, message(at));
        if (accepted.outcome !== "accepted") throw new Error("the message was not accepted");
        const result = await store.turns.startTurn({
          ...{ sessionId: await session(), surface, holder: holder(), leaseMs: LEASE_MS, message: asked(surface) },
          cause: { kind: "inbox", inboxId: accepted.row.id },
        });
        const { turn: begun, fence } = granted(result);
        await store.outbox.saveDraft({
          ...{ sendKey: named("send"), turnId: begun.id, key: surface, conversation: at, messageId: named("draft") },
        });
        const messages: NewMessage[] = [{ role: "assistant", text: SAID }];
        await store.turns.finishTurn({
          ...{ turnId: begun.id, fence, state: "done", messages, outbox: [entry(at)] },
          work: {
            ...{ task: SAID, progress: SAID, nextStep: SAID, decisions: [SAID], openQuestions: [SAID], files: [SAID] },
            ...{ model: named("model"), at: 0 },
          },
        });
      },
      undoLast: async () => {
        const sessionId = await session();
        const { turn: begun, fence } = await turn(sessionId);
        await store.turns.finishTurn({ turnId: begun.id, fence, state: "done", messages: [calls], outbox: [] });
        await store.turns.undoLast(sessionId, named("once"));
      },
      rewind: async () => {
        const sessionId = await session();
        const { turn: begun, fence } = await turn(sessionId);
        await store.turns.finishTurn({ turnId: begun.id, fence, state: "done", messages: [calls], outbox: [] });
        const told = { kind: "notice", markdown: SAID } as const;
        await store.turns.rewind({ sessionId, seq: 1, once: named("rewound"), surface: "terminal", told });
      },
      lastUndone: async () => store.turns.lastUndone(await session()),
      renewTurn: async () => {
        const { turn: begun, fence } = await turn(await session());
        await store.turns.renewTurn(begun.id, fence, LEASE_MS);
      },
      parkTurn: parked,
      resumeTurn: async () => {
        const { id, turnId } = await parked();
        await decide(id, { kind: "once" });
        await store.turns.resumeTurn({ turnId, holder: holder(), leaseMs: LEASE_MS });
      },
      resumable: () => store.turns.resumable(scope()),
      requestStop: async () => {
        const sessionId = await session();
        await turn(sessionId);
        await store.turns.requestStop(sessionId);
      },
      noteText: async () => {
        const sessionId = await session();
        const { turn: begun, fence } = await turn(sessionId);
        await view(sessionId);
        await store.turns.noteText(begun.id, fence, SAID);
      },
      noteOutput: async () => {
        const sessionId = await session();
        const { turn: begun, fence } = await turn(sessionId);
        await view(sessionId);
        await store.turns.noteOutput(begun.id, fence, named("call"), SAID);
      },
      growing: async () => store.turns.growing(await session()),
      running: async () => store.turns.running(await session()),
      get: async () => store.turns.get((await turn(await session())).turn.id),
      marks: async () => {
        const sessionId = await session();
        const { turn: begun } = await turn(sessionId);
        await store.turns.requestStop(sessionId);
        return store.turns.marks([begun.id]);
      },
    },
    approvals: {
      decide: async () => {
        await decide((await parked()).id, { kind: "session" });
        await decide((await parked()).id, { kind: "no", word: SAID });
        await decide((await parked()).id, { kind: "answer", text: SAID });
      },
      get: async () => store.approvals.get((await parked()).id),
      byCode: async () => store.approvals.byCode((await parked()).code),
      ofTurn: async () => store.approvals.ofTurn((await parked()).turnId),
      open: () => store.approvals.open(),
      shownAt: async () => store.approvals.shownAt(buildSessionKey((await parked()).at)),
      showAt: async () => {
        const at = place();
        await store.approvals.showAt((await parked()).sessionId, { key: buildSessionKey(at), conversation: at });
      },
      unreminded: () => store.approvals.unreminded(scope(), 0),
      remind: async () => {
        const { id, at } = await parked();
        await store.approvals.remind(id, entry(at));
      },
      allowedInSession: async () => {
        const { id, sessionId } = await parked();
        await decide(id, { kind: "session" });
        return store.approvals.allowedInSession(sessionId);
      },
    },
    asks: {
      open: ask,
      get: async () => store.asks.get((await ask()).id),
      shownAt: async () => store.asks.shownAt((await ask()).surface),
      decide: async () => store.asks.decide((await ask()).id, "taken"),
      offerable: () =>
        store.asks.offerable({
          ...{ person: named("user") as UserId, surface: buildSessionKey(place()), visible: EVERY_SESSION },
        }),
      takeAlong: async () => {
        const { turn: begun, fence } = await turn(await session());
        const messages = [{ role: "assistant", text: SAID }] as const;
        await store.turns.finishTurn({ turnId: begun.id, fence, state: "done", messages, outbox: [] });
        const { id } = await ask({ at: ["terminal"], fresh: begun.sessionId });
        await store.asks.takeAlong(id);
      },
    },
    typedLines: {
      keep: async () => typed(await session()),
      renew: async () => store.typedLines.renew((await typed(await session())).by, LEASE_MS),
      remove: async () => {
        const { id, by } = await typed(await session());
        await store.typedLines.remove([id], by);
      },
      release: async () => store.typedLines.release((await typed(await session())).by),
      left: () => store.typedLines.left(),
      takeOver: async () => {
        const { id, by } = await typed(await session());
        await store.typedLines.release(by);
        const other = holder();
        const sessionId = await session();
        await store.typedLines.takeOver([id], other, LEASE_MS);
        const cause = { kind: "terminal", lines: [id] } as const;
        const begin = { sessionId, surface: "terminal", holder: other, leaseMs: LEASE_MS } as const;
        granted(await store.turns.startTurn({ ...begin, cause, message: asked(buildSessionKey(place())) }));
        const waits = { kind: "terminal", keepAs: named("line") as LineId } as const;
        await store.turns.startTurn({
          ...begin,
          holder: holder(),
          cause: waits,
          message: asked(buildSessionKey(place())),
        });
      },
    },
    views: {
      keep: async () => view(await session()),
      close: () => store.views.close(holder()),
      of: async () => store.views.of(await session()),
    },
    away: {
      set: async () => {
        const conversation = place();
        const at = { ...scope(), key: buildSessionKey(conversation), conversation, name: SAID };
        await store.away.set(await session(), {
          ...{ to: { kind: "conversation", ...at }, restMs: 60_000, by: named("user") as UserId },
        });
      },
      get: async () => store.away.get(await session()),
      isSet: () => store.away.isSet(),
      clear: async () => store.away.clear(await session()),
      left: async () => store.away.left(await session(), 1),
      go: () => store.away.go(scope(), holder(), LEASE_MS),
    },
    handoffs: {
      requestHandoff: () => handoff(),
      toTerminal: async () => {
        const [from, at] = [place(), place()];
        await store.handoffs.toTerminal({ sessionId: await session(), from: buildSessionKey(from), left: entry(at) });
      },
      offeredToTerminal: () => store.handoffs.offeredToTerminal(),
      taken: async () => store.handoffs.taken((await handoff()).id),
      claimHandoff: () => handoff(),
      renewHandoff: async () => {
        const { id, by } = await handoff();
        await store.handoffs.renewHandoff(id, by, LEASE_MS);
      },
      intendThread: async () => {
        const { id, by } = await handoff();
        await store.handoffs.intendThread(id, by);
      },
      advanceHandoff: async () => {
        const { id, by } = await handoff();
        await store.handoffs.advanceHandoff(id, by, "threaded", facts());
      },
      bindHandoff: async () => {
        const { id, by, sessionId } = await bound();
        const surface = buildSessionKey(place());
        const cause = { kind: "handoff", handoffId: id } as const;
        await store.turns.startTurn({ sessionId, surface, cause, holder: by, leaseMs: LEASE_MS, message: null });
      },
      completeHandoff: async () => {
        const { id, by } = await bound();
        await store.handoffs.completeHandoff(id, by, { ...facts(), left: entry(place()) });
      },
      failHandoff: async () => {
        const { id, by } = await handoff();
        await store.handoffs.failHandoff(id, by, ERROR);
      },
      compensateHandoff: async () => {
        const { id, by } = await bound();
        await store.handoffs.compensateHandoff(id, by, ERROR);
        const { sessionId } = await parked();
        const taken = await handoff(sessionId);
        const at = place();
        await store.handoffs.bindHandoff({
          ...{ id: taken.id, holder: taken.by, key: buildSessionKey(at), conversation: at, mirrors: true },
          ...{ message: asked(buildSessionKey(at)), outbox: [entry(at)] },
        });
      },
      cancelHandoff: async () => store.handoffs.cancelHandoff((await handoff()).id),
      reclaimHandoffs: async () => {
        const { id } = await bound();
        const to = (await store.handoffs.get(id))?.to;
        if (to === undefined || to.kind === "terminal") throw new Error("it goes to no platform");
        await store.handoffs.reclaimHandoffs(to, holder(), LEASE_MS);
      },
      get: async () => store.handoffs.get((await handoff()).id),
      latestOf: async () => store.handoffs.latestOf((await handoff()).sessionId),
      latestBoundAt: () => store.handoffs.latestBoundAt(buildSessionKey(place())),
      list: () => store.handoffs.list({ limit: 5 }),
      listPendingHandoffs: () => store.handoffs.listPendingHandoffs(),
    },
    bindings: {
      bind: () => bind(place()),
      unbind: async () => {
        const at = place();
        await bind(at);
        await store.bindings.unbind(buildSessionKey(at));
      },
      part: async () => {
        const at = place();
        const { sessionId } = await bind(at);
        return store.bindings.part(buildSessionKey(at), sessionId, [entry(at)]);
      },
      setHome: () =>
        store.bindings.setHome(named("platform"), named("account"), { chatId: named("chat"), name: SAID, tag: SAID }),
      moveChat: async () => {
        const [from, to] = [chatOf(place()), chatOf(place())];
        await bind(from);
        const lane = (conversation: typeof from) => ({ key: buildSessionKey(conversation), conversation });
        await store.bindings.moveChat(lane(from), lane(to), { kind: "notice", markdown: SAID });
      },
      home: () => store.bindings.home(named("platform"), named("account")),
      get: () => store.bindings.get(buildSessionKey(place())),
      missedSession: () => store.bindings.missedSession(buildSessionKey(place()), { sentAt: 0, receivedAt: 0 }),
      of: async () => store.bindings.of(await session()),
    },
    inbox: {
      acceptInbound: async () => {
        const at = place();
        const first = message(at);
        await store.inbox.acceptInbound(buildSessionKey(at), first);
        await store.inbox.acceptInbound(buildSessionKey(at), { ...first, isEdit: true });
      },
      settle: async () => {
        const at = place();
        const accepted = await store.inbox.acceptInbound(buildSessionKey(at), message(at));
        if (accepted.outcome === "accepted") await store.inbox.settle(accepted.row.id, [entry(at)]);
      },
      head: () => store.inbox.head(buildSessionKey(place())),
      next: async () => {
        const at = place();
        const accepted = await store.inbox.acceptInbound(buildSessionKey(at), message(at));
        return accepted.outcome === "accepted" ? store.inbox.next(accepted.row.id) : null;
      },
      openLanes: () => store.inbox.openLanes(named("platform"), named("account")),
      retract: async () => {
        const at = place();
        await store.inbox.acceptInbound(buildSessionKey(at), message(at));
        await store.inbox.retract(at, named("message"), { id: named("person"), name: SAID });
      },
      said: () => store.inbox.said(place(), named("message")),
    },
    outbox: {
      enqueue: async () => {
        const { id: edits } = await sending();
        await store.outbox.enqueue([{ ...entry(place(), await session()), edits }]);
      },
      beginSend: sending,
      settleSend: async () => {
        await sent();
        for (const kind of ["uncertain", "failed"] as const) {
          await store.outbox.settleSend((await sending()).id, { kind, error: ERROR });
        }
        await store.outbox.settleSend((await sending()).id, { kind: "again", dueAt: 1, error: ERROR });
      },
      settleLate: async () => {
        const { row, receipt } = await sent();
        const { platform, account } = row.conversation;
        await store.outbox.settleLate(platform, account, receipt.messageId, ERROR);
      },
      giveBack: async () => store.outbox.giveBack((await sending()).id, holder()),
      leaveDraft: async () => store.outbox.leaveDraft((await sending()).id),
      takeDraft: async () => store.outbox.takeDraft((await sending()).id, named("draft")),
      ofHandoff: async () => store.outbox.ofHandoff((await bound()).id),
      refusalOf: async () => store.outbox.refusalOf((await bound()).id),
      moveLane: async () => {
        const [from, to] = [place(), place()];
        await bind(from);
        await store.outbox.enqueue([entry(from)]);
        await store.outbox.moveLane(
          buildSessionKey(from),
          { key: buildSessionKey(to), conversation: to },
          { sessionId: null, message: { kind: "notice", markdown: SAID } },
        );
      },
      saveDraft: async () => {
        const { turn: begun } = await turn(await session());
        const at = place();
        await store.outbox.saveDraft({
          ...{ sendKey: named("send"), turnId: begun.id, key: buildSessionKey(at), conversation: at },
          messageId: named("draft"),
          shown: SAID,
        });
      },
      draft: () => store.outbox.draft(named("send")),
      draftOf: async () => store.outbox.draftOf((await turn(await session())).turn.id),
      counts: () => store.outbox.counts(named("platform"), named("account")),
      head: () => store.outbox.head(buildSessionKey(place())),
      openLanes: () => store.outbox.openLanes(named("platform"), named("account")),
    },
    deliveries: {
      list: () => store.deliveries.list({ waiting: true, limit: 5 }),
      get: async () => store.deliveries.get((await refused()).id),
      offer: async () => {
        const { key, conversation } = await refused();
        const notice = { kind: "notice", markdown: SAID } as const;
        await store.deliveries.offer({ key, conversation }, { failed: notice, uncertain: notice }, 5);
      },
      retry: async () => store.deliveries.retry((await refused()).id),
      drop: async () => store.deliveries.drop((await refused()).id),
      untold: () => store.deliveries.untold(5),
      tell: async () => store.deliveries.tell((await refused()).id, [entry(place(), await session())]),
    },
    leases: {
      acquire: () => store.leases.acquire(named("lease"), holder(), LEASE_MS),
      release: () => store.leases.release(named("lease"), holder()),
    },
    gateways: {
      heartbeat: () =>
        store.gateways.heartbeat({
          ...{ id: named("gateway"), holder: holder(), startedAt: 1, configPath: `/${KNOWN_SECRET}/hermes.config.ts` },
          platforms: [
            {
              ...{ platform: named("platform"), account: named("account"), standby: false, takesHandoffs: true },
              health: { state: "down", detail: SAID, address: `https://${SAID}` },
              home: { chatId: named("chat"), name: SAID, kind: "dm", key: buildSessionKey(place()) },
            },
          ],
        }),
      alive: () => store.gateways.alive(),
      silent: () => store.gateways.silent(),
      remove: () => store.gateways.remove(named("gateway")),
    },
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
    places: {
      note: async () => {
        const at = place();
        const author = {
          platform: at.platform,
          account: at.account,
          senderId: named("person"),
          aliases: [named("alias")],
          conversation: at,
        };
        const person = { author, name: SAID };
        await store.places.note({ key: buildSessionKey(at), conversation: at, name: SAID, word: "heard", person });
      },
      configured: async () => {
        const at = place();
        const inConfig = { key: buildSessionKey(at), conversation: at, called: SAID, shared: true };
        await store.places.configured({ platform: at.platform, account: at.account }, [inConfig]);
      },
      get: () => store.places.get(buildSessionKey(place())),
      list: () => store.places.list(),
    },
    files: {
      named: () => store.files.named([named("hash")]),
    },
    usage: {
      lastOf: async () => {
        const sessionId = await session();
        const { turn: begun, fence } = await turn(sessionId);
        await store.turns.append(begun.id, fence, [calls], [usedBy(named("model"), named("user") as UserId)]);
        return store.usage.lastOf(sessionId);
      },
      sum: () => store.usage.sum({ person: named("user") as UserId }),
      raised: () => store.usage.raised(named("subject")),
      raise: () => store.usage.raise({ subject: named("subject"), cost: 1, tokens: 1 }, named("once")),
      groups: () => store.usage.groups("model", { limit: 5 }),
    },
    overview: {
      lanes: () => store.overview.lanes({ limit: 5 }),
      leases: () => store.overview.leases(),
    },
  };

  function sender() {
    const conversation = place();
    const ids = { key: named("person"), id: named("person"), name: SAID };
    return { ...scope(), ...ids, conversation, surface: buildSessionKey(conversation) };
  }

  async function ask(change: Partial<NewAsk> = {}): Promise<Ask> {
    const at = place();
    return store.asks.open({
      ...{
        id: newAskId(),
        kind: "offer",
        person: named("user") as UserId,
        sessionId: await session(),
        ttlMs: LEASE_MS,
      },
      ...{ at: [{ key: buildSessionKey(at), conversation: at }], message: entry(at).message },
      outcomes: { taken: SAID, declined: SAID, expired: SAID },
      ...change,
    });
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

  async function typed(sessionId: SessionId): Promise<{ readonly id: LineId; readonly by: Holder }> {
    const [id, by] = [named("line") as LineId, holder()];
    await store.typedLines.keep(sessionId, [{ id, text: SAID }], by, LEASE_MS);
    return { id, by };
  }
}
