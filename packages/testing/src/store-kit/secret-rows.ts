import type { InboundMessage, OutboundMessage, Piece } from "@hermes/core";
import { buildSessionKey, type Conversation, chatOf, type SessionKey } from "@hermes/core";
import type {
  ApprovalDecision,
  ApprovalId,
  Fence,
  HandoffId,
  Holder,
  InboxRow,
  KeptState,
  NewApproval,
  NewMessage,
  NewOutboxEntry,
  OutboxRow,
  SessionId,
  StartTurnResult,
  Store,
  StoredError,
  TurnId,
  UserId,
} from "@hermes/core/embed";
import { type Kit, LEASE_MS } from "./kit.ts";

/** A known secret, which is spelled differently in a URL and in JSON. */
export const KNOWN_SECRET = 'Pa55wordzz/+"ü9';

/** A part that every spelling of it contains, in lower case. */
export const SECRET_FRAGMENT = "pa55wordzz";

/** A text that only looks like a secret, and its fragment. */
const LOOKALIKE = "sk-live-L00kalike0123456789";
export const LOOKALIKE_FRAGMENT = "l00kalike";

export const SAID = `my key ${KNOWN_SECRET} and ${LOOKALIKE} do not work`;
export const ERROR: StoredError = { code: "INTERNAL", text: SAID };

/** A conversation whose ids contain the secret. */
export function secretPlace(name: string): Conversation & { readonly platform: string; readonly account: string } {
  const part = (of: string) => `${name}-${of}-${KNOWN_SECRET}`;
  return {
    platform: part("platform"),
    chatId: part("chat"),
    kind: "group",
    account: part("account"),
    scope: part("scope"),
    threadId: part("thread"),
    userId: part("user"),
  };
}

export type SecretRows = ReturnType<typeof secretRows>;

/** Makes rows to write to a store, with secrets in every text and in every id. */
export function secretRows(kit: Kit, store: Store) {
  let count = 0;
  const named = (name: string) => `${name}-${++count}-${KNOWN_SECRET}`;
  const place = () => secretPlace(`place-${++count}`);
  const holder = (): Holder => ({
    ...kit.process("gateway", named("host")),
    id: named("holder"),
    pidStart: named("start"),
  });
  const session = async (): Promise<SessionId> => {
    const at = place();
    const created = await store.sessions.create({
      title: SAID,
      user: named("user") as UserId,
      origin: buildSessionKey(at),
      originChat: buildSessionKey(chatOf(at)),
      model: named("model"),
      workingDirectory: `/home/${KNOWN_SECRET}/work`,
    });
    return created.id;
  };
  const message = (at: Conversation): InboundMessage => ({
    conversation: at,
    messageId: named("message"),
    sender: { id: named("sender"), aliases: [named("alias")], name: SAID },
    text: SAID,
    sentAt: kit.clock.now(),
    attachments: [{ name: SAID, mediaType: SAID, size: 1, text: SAID, hash: named("hash") }],
    beginsThread: named("begins"),
    chatName: SAID,
  });
  const outbound: OutboundMessage = {
    kind: "answer",
    markdown: SAID,
    files: [{ name: SAID, mediaType: "text/plain", size: 1, text: SAID }],
    choices: [{ id: named("choice"), label: SAID, style: "plain" }],
    author: "user",
    place: SAID,
  };
  const entry = (at: Conversation, sessionId?: SessionId): NewOutboxEntry => ({
    key: buildSessionKey(at),
    conversation: at,
    message: outbound,
    sessionId,
  });
  const piece: Piece = {
    text: SAID,
    extra: { [SAID]: [SAID], blocks: { text: SAID } },
    file: { name: SAID, mediaType: "text/plain", size: 1, text: SAID },
  };
  const asked = (surface: SessionKey): NewMessage => ({
    ...{ role: "user", text: SAID, surface },
    files: [{ hash: named("hash"), name: SAID, mediaType: SAID, size: 1 }],
  });
  const calls: NewMessage = {
    role: "assistant",
    text: SAID,
    toolCalls: [{ id: named("call"), name: SAID, input: { [KNOWN_SECRET]: KNOWN_SECRET, list: [KNOWN_SECRET] } }],
    providerParts: { model: "test/m", parts: KNOWN_SECRET },
  };
  const turn = async (sessionId: SessionId) => {
    const surface = buildSessionKey(place());
    const result = await store.turns.startTurn({
      ...{ sessionId, surface, holder: holder(), leaseMs: LEASE_MS },
      cause: { kind: "terminal" },
      message: asked(surface),
      closedNotice: { toolStarted: entry(place()), noToolStarted: entry(place()) },
    });
    return granted(result);
  };
  /** Calls something of a turn that has begun. */
  const inTurn =
    (call: (turnId: TurnId, fence: Fence, sessionId: SessionId) => Promise<unknown>) => async (): Promise<unknown> => {
      const { turn: begun, fence } = await turn(await session());
      return call(begun.id, fence, begun.sessionId);
    };
  const work = (): KeptState => ({
    ...{ task: SAID, progress: SAID, nextStep: SAID, decisions: [SAID], openQuestions: [SAID], files: [SAID] },
    ...{ model: named("model"), at: 0 },
  });
  const view = (sessionId: SessionId) => {
    const surface = buildSessionKey(place());
    return store.views.keep({ sessionId, holder: holder(), surface, restedMs: 0, leaseMs: LEASE_MS });
  };
  /** A message that is taken in, and has no turn yet. */
  const accepted = async (at: Conversation = place()): Promise<InboxRow> => {
    const result = await store.inbox.acceptInbound(buildSessionKey(at), message(at));
    if (result.outcome !== "accepted") throw new Error("the message was not accepted");
    return result.row;
  };
  /** A turn that waits for the answer to one question, which a place shows. */
  const parked = async () => {
    const at = place();
    const surface = buildSessionKey(at);
    const sessionId = await session();
    const { turn: begun, fence } = await turn(sessionId);
    await store.turns.append(begun.id, fence, [calls]);
    await store.outbox.saveDraft({
      ...{ sendKey: named("draft"), turnId: begun.id, key: surface, conversation: at, messageId: named("draft") },
    });
    const id = named("approval") as ApprovalId;
    const approval: NewApproval = {
      ...{ id, code: named("code"), callId: calls.toolCalls?.[0]?.id ?? "", kind: "call", tool: SAID, summary: SAID },
      ...{ detail: SAID, digest: named("digest"), rules: [SAID], answers: [SAID], messages: [outbound, outbound] },
      ttlMs: 1_000_000,
      raises: { subject: named("subject"), cost: 1, tokens: 1 },
    };
    const park = { turnId: begun.id, fence, reason: "approval", approvals: [approval] } as const;
    await store.turns.parkTurn({ ...park, shownAt: [{ key: surface, conversation: at }], outbox: [entry(at)] });
    return { sessionId, turnId: begun.id, id, at, code: approval.code };
  };
  const decide = (id: ApprovalId, decision: ApprovalDecision) =>
    store.approvals.decide({
      ...{ id, decision, surface: buildSessionKey(place()), message: asked(buildSessionKey(place())) },
      by: {
        name: SAID,
        author: { ...scope(), senderId: named("person"), aliases: [named("alias")], conversation: place() },
      },
    });
  const scope = () => ({ platform: named("platform"), account: named("account") });
  const handoff = async (
    of?: SessionId,
  ): Promise<{ readonly id: HandoffId; readonly by: Holder; readonly sessionId: SessionId }> => {
    const sessionId = of ?? (await session());
    const at = place();
    const to = {
      kind: "conversation",
      ...scope(),
      key: buildSessionKey(at),
      conversation: at,
      name: SAID,
    } as const;
    const requested = await store.handoffs.requestHandoff(sessionId, to, { from: buildSessionKey(place()) });
    if (!requested.ok) throw new Error("the handoff was refused");
    const by = holder();
    await store.handoffs.claimHandoff(requested.handoff.id, by, LEASE_MS);
    return { id: requested.handoff.id, by, sessionId };
  };
  const bound = async () => {
    const claimed = await handoff();
    const at = place();
    await bind(at);
    await store.handoffs.bindHandoff({
      ...{ id: claimed.id, holder: claimed.by, key: buildSessionKey(at), conversation: at, mirrors: true },
      message: asked(buildSessionKey(at)),
      outbox: [entry(at)],
    });
    return claimed;
  };
  const facts = () => ({
    conversation: place(),
    place: SAID,
    link: `https://x/${SAID}`,
    flatBecause: SAID,
    warning: SAID,
  });
  const sending = async (): Promise<OutboxRow> => {
    const at = place();
    const by = holder();
    await store.leases.acquire(`account:${at.platform}:${at.account}`, by, LEASE_MS);
    const [row] = await store.outbox.enqueue([entry(at, await session())]);
    if (row === undefined) throw new Error("nothing was enqueued");
    const begun = await store.outbox.beginSend(row.id, by, [piece, piece]);
    if (begun === null) throw new Error("the message could not be sent");
    return begun;
  };
  const sent = async () => {
    const row = await sending();
    const receipt = { messageId: named("sent"), link: `https://x/${SAID}`, sentAt: 1 };
    await store.outbox.settleSend(row.id, { kind: "sent", receipt });
    return { row, receipt };
  };
  const bind = async (at: Conversation) =>
    store.bindings.bind({ key: buildSessionKey(at), conversation: at, sessionId: await session(), mirrors: false });

  return {
    named,
    place,
    holder,
    session,
    message,
    entry,
    asked,
    calls,
    turn,
    inTurn,
    work,
    view,
    accepted,
    scope,
    parked,
    decide,
    handoff,
    bound,
    facts,
    sending,
    sent,
    bind,
  };
}

export function granted(result: StartTurnResult): Extract<StartTurnResult, { ok: true }> {
  if (!result.ok) throw new Error("the turn was not granted");
  return result;
}
