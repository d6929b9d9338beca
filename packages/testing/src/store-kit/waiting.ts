import type { SessionKey } from "@hermes/core";
import type {
  Approval,
  ApprovalDecision,
  ApprovalId,
  DecideApproval,
  Decider,
  Holder,
  NewApproval,
  NewOutboxEntry,
  OutboxRow,
  ParkTurn,
  ResumeTurnResult,
  SessionId,
  Turn,
  TurnId,
} from "@hermes/core/embed";
import { expect } from "vitest";
import { AT_HOME, HOME, HOME_KEY, type Kit, LEASE_MS, type StartedTurn } from "./kit.ts";

export const ADA: Decider = {
  name: "Ada",
  author: { platform: "pager", account: undefined, senderId: "ada", aliases: [], conversation: HOME },
};

let asked = 0;

/** What is asked about a call: a message with all of it, and the question with its choices below. */
export function asks(callId: string, change: Partial<NewApproval> = {}): NewApproval {
  const id = `approval-of-80-bits-${++asked}` as ApprovalId;
  return {
    ...{ id, code: `code${asked}`, callId, kind: "call", tool: "shell", summary: `run ${callId}` },
    ...{ detail: `all of ${callId}`, digest: "d", rules: [`shell(${callId})`], answers: [] },
    messages: [
      { kind: "notice", markdown: `all of ${callId}` },
      {
        ...{ kind: "question", markdown: `may ${callId} run?` },
        choices: [{ id: `once:${id}`, label: "Once", style: "primary" }],
      },
    ],
    ttlMs: null,
    ...change,
  };
}

export interface Waiting {
  readonly id: SessionId;
  readonly turnId: TurnId;
  readonly fence: StartedTurn["fence"];
  readonly approvals: readonly NewApproval[];
  /** The first of them. */
  readonly one: NewApproval;
}

/**
 * A session bound to the home, whose turn of a message there waits for what is asked about its calls. The places `boundAt`
 * lead to it, too, and are shown nothing of it.
 */
export async function waiting(
  kit: Kit,
  {
    approvals = [asks("1.1")],
    shownAt = [AT_HOME],
    boundAt = [],
    ...change
  }: Partial<Omit<ParkTurn, "turnId" | "fence">> & { readonly boundAt?: ParkTurn["shownAt"] } = {},
): Promise<Waiting> {
  const { id } = await kit.session();
  for (const at of boundAt) await kit.store.bindings.bind({ ...at, sessionId: id, mirrors: false });
  await kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false });
  const { turn, fence } = await kit.granted(id, await kit.asked("do it"));
  await calls(kit, { turn, fence }, ...approvals.map(({ callId }) => callId));
  const request = { turnId: turn.id, fence, reason: "approval", approvals, shownAt, outbox: [], ...change } as const;
  expect(await kit.store.turns.parkTurn(request)).toBe("parked");
  const [one] = approvals;
  if (one === undefined) throw new Error("nothing is asked about");
  return { id, turnId: turn.id, fence, approvals, one };
}

/** Stores a step that calls tools. */
export async function calls(kit: Kit, { turn, fence }: Pick<StartedTurn, "turn" | "fence">, ...ids: string[]) {
  const toolCalls = ids.map((id) => ({ id, name: "shell", input: {} }));
  await kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "I would run it.", toolCalls }]);
}

export function decide(
  kit: Kit,
  { id }: Pick<Approval, "id">,
  decision: ApprovalDecision = { kind: "once" },
  change: Partial<DecideApproval> = {},
) {
  return kit.store.approvals.decide({ id, decision, by: ADA, surface: HOME_KEY, ...change });
}

export function resume(kit: Kit, turnId: TurnId, holder = kit.process("gateway")): Promise<ResumeTurnResult> {
  return kit.store.turns.resumeTurn({ turnId, holder, leaseMs: LEASE_MS });
}

export async function resumed(kit: Kit, turnId: TurnId, holder = kit.process("gateway")): Promise<StartedTurn> {
  const result = await resume(kit, turnId, holder);
  expect(result).toMatchObject({ ok: true });
  if (!result.ok) throw new Error("the turn was not resumed");
  return result;
}

const DELIVERER: Holder = { id: "deliverer", host: "here", pid: 1, pidStart: "1", role: "gateway" };

/** The gateway that has the account's lease, and keeps it. */
export async function deliverer(kit: Kit): Promise<Holder> {
  expect(await kit.store.leases.acquire("account:pager:", DELIVERER, LEASE_MS)).toBe(true);
  return DELIVERER;
}

/** The waiting rows of a lane, as they would be sent: text, and the message that is edited. */
export async function queued(kit: Kit, key: SessionKey = HOME_KEY): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = [];
  const gateway = await deliverer(kit);
  for (;;) {
    const row = await kit.store.outbox.head(key);
    if (row === null) return rows;
    rows.push(row);
    await kit.store.outbox.beginSend(row.id, gateway, [{ text: row.message.markdown }]);
    const messageId = row.draftMessageId ?? `sent-${row.id}`;
    await kit.store.outbox.settleSend(row.id, { kind: "sent", receipt: { messageId, sentAt: kit.clock.now() } });
  }
}

export const texts = (rows: readonly OutboxRow[]) => rows.map(({ message }) => message.markdown);

export function place(chatId: string): Pick<NewOutboxEntry, "key" | "conversation"> {
  const conversation = { ...HOME, chatId };
  return { key: HOME_KEY.replace("100", chatId) as SessionKey, conversation };
}

export async function turnOf(kit: Kit, { turnId }: Pick<Waiting, "turnId">): Promise<Turn> {
  const turn = await kit.store.turns.get(turnId);
  if (turn === null) throw new Error("the turn is gone");
  return turn;
}
