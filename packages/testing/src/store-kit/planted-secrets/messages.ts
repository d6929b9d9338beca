import { buildSessionKey, chatOf } from "@hermes/core";
import type { Holder, LineId, SessionId, Store } from "@hermes/core/embed";
import { LEASE_MS } from "../kit.ts";
import { ERROR, granted, SAID, type SecretRows } from "../secret-rows.ts";
import type { Plants } from "./plants.ts";

/** Passes secrets to the calls about messages, and the places where they are said. */
export function messagePlants(
  rows: SecretRows,
  store: Store,
): Plants<"typedLines" | "inbox" | "outbox" | "deliveries" | "bindings" | "places"> {
  const { named, place, holder, session, message, entry, asked, turn, inTurn, bound, sending, sent, bind, accepted } =
    rows;
  const refused = async () => {
    const { id } = await sending();
    return store.outbox.settleSend(id, { kind: "failed", error: ERROR });
  };
  return {
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
    inbox: {
      acceptInbound: async () => {
        const at = place();
        const first = message(at);
        await store.inbox.acceptInbound(buildSessionKey(at), first, [entry(at)]);
        await store.inbox.acceptInbound(buildSessionKey(at), { ...first, isEdit: true });
      },
      settle: async () => store.inbox.settle((await accepted()).id, [entry(place())]),
      head: () => store.inbox.head(buildSessionKey(place())),
      hasRows: () => store.inbox.hasRows(buildSessionKey(place())),
      next: async () => store.inbox.next((await accepted()).id),
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
      saveDraft: inTurn(async (turnId) => {
        const at = place();
        await store.outbox.saveDraft({
          ...{ sendKey: named("send"), turnId, key: buildSessionKey(at), conversation: at },
          messageId: named("draft"),
          shown: SAID,
        });
      }),
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
  };

  async function typed(sessionId: SessionId): Promise<{ readonly id: LineId; readonly by: Holder }> {
    const [id, by] = [named("line") as LineId, holder()];
    await store.typedLines.keep(sessionId, [{ id, text: SAID }], by, LEASE_MS);
    return { id, by };
  }
}
