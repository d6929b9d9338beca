import { buildSessionKey } from "@hermes/core";
import type { Ask, NewAsk, NewMessage, Store, UserId } from "@hermes/core/embed";
import { EVERY_SESSION, newAskId } from "@hermes/core/embed";
import { LEASE_MS } from "../kit.ts";
import { ERROR, granted, KNOWN_SECRET, SAID, type SecretRows } from "../secret-rows.ts";
import type { Plants } from "./plants.ts";

/** Passes secrets to the calls about turns, handoffs and the processes at work. */
export function workPlants(
  rows: SecretRows,
  store: Store,
): Plants<"turns" | "approvals" | "asks" | "away" | "handoffs" | "leases" | "gateways"> {
  const {
    named,
    place,
    holder,
    session,
    entry,
    asked,
    calls,
    turn,
    inTurn,
    parked,
    decide,
    handoff,
    bound,
    facts,
    accepted,
    scope,
    view,
    work,
  } = rows;
  return {
    turns: {
      calls: inTurn(async (turnId, fence) => {
        await store.turns.append(turnId, fence, [calls, { role: "tool", text: SAID, toolCallId: named("call") }]);
        return store.turns.calls([turnId]);
      }),
      startTurn: async () => turn(await session()),
      append: inTurn(async (turnId, fence) => {
        await store.turns.append(turnId, fence, [calls, { role: "tool", text: SAID, toolCallId: named("call") }]);
      }),
      takeIn: inTurn(async (turnId, fence) => {
        const said = { role: "user", text: SAID } as const;
        const { id: inboxId, digest } = await accepted();
        await store.turns.takeIn(turnId, fence, [{ inboxId, digest, message: said }]);
      }),
      beginCall: inTurn(async (turnId, fence) => {
        await store.turns.append(turnId, fence, [calls]);
        await store.turns.beginCall(turnId, fence, { id: calls.toolCalls?.[0]?.id ?? "", repeats: true });
      }),
      noteProcess: inTurn(async (turnId, fence) => {
        const { id, host, pid, pidStart } = holder();
        await store.turns.noteProcess(turnId, fence, named("call"), { id, host, pid, pidStart });
      }),
      leftRunning: () => store.turns.leftRunning(),
      processEnded: () => store.turns.processEnded(named("process")),
      finishTurn: async () => {
        const at = place();
        const surface = buildSessionKey(at);
        const { id: inboxId } = await accepted(at);
        const result = await store.turns.startTurn({
          ...{ sessionId: await session(), surface, holder: holder(), leaseMs: LEASE_MS, message: asked(surface) },
          ...{ cause: { kind: "inbox", inboxId }, outbox: [entry(at)] },
        });
        const { turn: begun, fence } = granted(result);
        await store.outbox.saveDraft({
          ...{ sendKey: named("send"), turnId: begun.id, key: surface, conversation: at, messageId: named("draft") },
        });
        const messages: NewMessage[] = [{ role: "assistant", text: SAID }];
        await store.turns.finishTurn({
          ...{ turnId: begun.id, fence, state: "done", messages, outbox: [entry(at)] },
          work: work(),
        });
      },
      undoLast: inTurn(async (turnId, fence, sessionId) => {
        await store.turns.finishTurn({ turnId, fence, state: "done", messages: [calls], outbox: [] });
        await store.turns.undoLast(sessionId, named("once"));
      }),
      rewind: inTurn(async (turnId, fence, sessionId) => {
        await store.turns.finishTurn({ turnId, fence, state: "done", messages: [calls], outbox: [] });
        const told = { kind: "notice", markdown: SAID } as const;
        await store.turns.rewind({ sessionId, seq: 1, once: named("rewound"), surface: "terminal", told });
      }),
      lastUndone: async () => store.turns.lastUndone(await session()),
      renewTurn: inTurn((turnId, fence) => store.turns.renewTurn(turnId, fence, LEASE_MS)),
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
      noteText: inTurn(async (turnId, fence, sessionId) => {
        await view(sessionId);
        await store.turns.noteText(turnId, fence, SAID);
      }),
      noteOutput: inTurn(async (turnId, fence, sessionId) => {
        await view(sessionId);
        await store.turns.noteOutput(turnId, fence, named("call"), SAID);
      }),
      growing: async () => store.turns.growing(await session()),
      running: async () => store.turns.running(await session()),
      get: async () => store.turns.get((await turn(await session())).turn.id),
      marks: inTurn(async (turnId, _fence, sessionId) => {
        await store.turns.requestStop(sessionId);
        return store.turns.marks([turnId]);
      }),
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
      takeAlong: inTurn(async (turnId, fence, sessionId) => {
        const messages = [{ role: "assistant", text: SAID }] as const;
        await store.turns.finishTurn({ turnId, fence, state: "done", messages, outbox: [] });
        const { id } = await ask({ at: ["terminal"], fresh: sessionId });
        await store.asks.takeAlong(id);
      }),
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
      leftThreads: async () => {
        const to = (await store.handoffs.get((await handoff()).id))?.to;
        if (to === undefined || to.kind === "terminal") throw new Error("it goes to no platform");
        await store.handoffs.leftThreads(to);
      },
      threadRemoved: async () => store.handoffs.threadRemoved((await handoff()).id),
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
  };

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
}
