import { buildSessionKey } from "@hermes/core";
import {
  type ApprovalId,
  choiceIdOf,
  type Holder,
  type NewApproval,
  OPERATOR,
  type Store,
  type TurnId,
} from "@hermes/core/embed";

export interface WaitingTurn {
  readonly turnId: TurnId;
  readonly approvalId: ApprovalId;
}

const AT_ONCE = 64;

const HOLDER: Holder = { id: "bench", host: "bench", pid: 1, pidStart: "1", role: "terminal" };

/** Writes so many turns that wait for a yes: every other one of the terminal, the rest of chats of the platform. */
export async function fillWaiting(store: Store, platform: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i);
    await Promise.all(some.map((i) => waitingTurn(store, i, i % 2 === 0 ? "terminal" : platform)));
  }
}

/** Writes a turn that waits for a yes to its one call, `1.1`; `index`: unlike that of any other. */
export async function waitingTurn(store: Store, index: number, platform: string | "terminal"): Promise<WaitingTurn> {
  const conversation = { platform, chatId: `waiting-${index}`, kind: "dm" } as const;
  const key = buildSessionKey(conversation);
  const isAtTerminal = platform === "terminal";
  const { id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
  if (!isAtTerminal) await store.bindings.bind({ key, conversation, sessionId, mirrors: false });
  const started = await store.turns.startTurn({
    ...{ sessionId, holder: HOLDER, leaseMs: 60_000, cause: { kind: "terminal" } },
    ...{ surface: isAtTerminal ? "terminal" : key, message: { role: "user", text: "Publish the package." } },
  });
  if (!started.ok) throw new Error(`a turn could not be started: ${started.reason}`);
  const { turn, fence } = started;
  const toolCalls = [{ id: "1.1", name: "shell", input: { command: "npm publish" } }];
  await store.turns.append(turn.id, fence, [{ role: "assistant", text: "I would run it.", toolCalls }]);
  const id = `approval-of-the-bench-${index}` as ApprovalId;
  const asked: NewApproval = {
    ...{ id, code: `b${index}`, callId: "1.1", kind: "call", tool: "shell", summary: "npm publish" },
    ...{ detail: "npm publish", digest: "d", rules: ["shell(npm publish)"], answers: [], ttlMs: 24 * 60 * 60_000 },
    messages: [
      {
        ...{ kind: "question", markdown: "May `npm publish` run?" },
        choices: [{ id: choiceIdOf({ approvalId: id, verb: "once" }), label: "Allow once", style: "primary" }],
      },
    ],
  };
  const request = { turnId: turn.id, fence, reason: "approval", shownAt: [], outbox: [] } as const;
  await store.turns.parkTurn({ ...request, approvals: [asked] });
  return { turnId: turn.id, approvalId: id };
}
