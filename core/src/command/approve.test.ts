import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Conversation } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import { randomIds } from "../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../base/process-identity.ts";
import { type ApprovalId, choiceIdOf, type NewApproval } from "../model/approval.ts";
import { EVERY_SESSION, OPERATOR, type Session, type UserId } from "../model/session.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./command.ts";
import { runCommand } from "./run-command.ts";

const CHAT: Conversation = { platform: "pager", chatId: "7", kind: "dm" };
const KEY = buildSessionKey(CHAT);
const HOLDER = thisProcess("prc_test", "gateway");

let folder: string;
let clock: VirtualClock;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-approve-"));
  clock = createVirtualClock();
  const file = join(folder, "store", "hermes.db");
  store = await openSqliteStore({ file, clock, ids: randomIds, probe: systemProcessProbe });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A question by its code; the terminal is told of it, and the chat if it is bound. */
function question(code: string, changes: Partial<NewApproval> = {}): NewApproval {
  const id = `${code}-0123456789abcdef` as ApprovalId;
  const once = { id: choiceIdOf({ approvalId: id, verb: "once" }), label: "Allow once", style: "primary" } as const;
  return {
    ...{ id, code, callId: "1.1", kind: "call", tool: "shell" },
    ...{ summary: `run ${code}`, detail: "", digest: code, rules: [`shell(${code})`], answers: [], ttlMs: null },
    messages: [{ kind: "question", markdown: `May I run ${code}?`, choices: [once] }],
    ...changes,
  };
}

/** A session whose turn waits for the answers to questions, bound to the chat that shows them. */
async function waiting(...approvals: readonly NewApproval[]): Promise<Session> {
  const session = await store.sessions.create({ user: OPERATOR, origin: KEY, originChat: KEY });
  await store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: session.id, mirrors: false });
  const message = { role: "user", text: "work", surface: KEY } as const;
  const request = { holder: HOLDER, cause: { kind: "terminal" }, surface: KEY, leaseMs: 15_000, message } as const;
  const started = await store.turns.startTurn({ sessionId: session.id, ...request });
  if (!started.ok) throw new Error(started.reason);
  const { turn, fence } = started;
  const toolCalls = approvals.map(({ tool }, at) => ({ id: `1.${at + 1}`, name: tool, input: {} }));
  await store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls }]);
  const numbered = approvals.map((one, at) => ({ ...one, callId: `1.${at + 1}` }));
  const shownAt = [{ key: KEY, conversation: CHAT }];
  await store.turns.parkTurn({ turnId: turn.id, fence, reason: "approval", approvals: numbered, shownAt, outbox: [] });
  return session;
}

function placeOf(session: Session, changes: Partial<CommandContext> = {}): CommandContext {
  return {
    ...{ store, clock, surface: KEY, user: OPERATOR, isOperator: true, isGuest: false, visible: EVERY_SESSION },
    decider: { name: "Ada", author: "terminal" },
    typed: (command) => `/${command}`,
    session: () => store.sessions.get(session.id),
    switchTo: async () => {},
    startSession: async () => session,
    whoami: async () => "",
    ...changes,
  };
}

const stateOf = async (code: string) => {
  const approval = await store.approvals.byCode(code);
  return [approval?.state, approval?.decision, approval?.decidedBy?.name];
};

describe("/approve", () => {
  test("/approve alone allows the one question that is open here, once", async () => {
    const place = placeOf(await waiting(question("aaaaa")));
    const { reply } = await runCommand("approve", place, "");
    expect(reply).toBe("Allowed once: `shell: run aaaaa`.");
    expect(await stateOf("aaaaa")).toEqual(["decided", { kind: "once" }, "Ada"]);
  });

  test("in the terminal, the questions of its session are those that are open here", async () => {
    const place = placeOf(await waiting(question("aaaaa")), { surface: "terminal" });
    await runCommand("approve", place, "session");
    expect(await stateOf("aaaaa")).toEqual(["decided", { kind: "session" }, "Ada"]);
  });

  test("/approve alone lists the codes where several are open, and decides nothing", async () => {
    const place = placeOf(await waiting(question("aaaaa"), question("bbbbb")));
    const { reply } = await runCommand("approve", place, "");
    expect(reply).toMatch(/2 questions wait here:\n- \*\*aaaaa\*\* `shell: run aaaaa`[\s\S]*`\/approve aaaaa`/);
    expect(await stateOf("aaaaa")).toEqual(["open", null, undefined]);
  });

  test("a code in any case allows that one, and says how many are open still", async () => {
    const place = placeOf(await waiting(question("aaaaa"), question("bbbbb")));
    const { reply } = await runCommand("approve", place, "BBBBB session");
    expect(reply).toBe("Allowed for this session: `shell: run bbbbb`. 1 question of this turn is still open.");
    expect(await stateOf("aaaaa")).toEqual(["open", null, undefined]);
  });

  test("/approve refuses a word that it does not take, and decides nothing", async () => {
    const place = placeOf(await waiting(question("aaaaa")));
    for (const words of ["aaaaa always", "aaaaa sesion", "all of it"]) {
      await expect(runCommand("approve", place, words)).rejects.toMatchObject({ code: "COMMAND_TAKES" });
    }
    expect(await stateOf("aaaaa")).toEqual(["open", null, undefined]);
  });

  test("/approve all allows each question that is open here", async () => {
    const place = placeOf(await waiting(question("aaaaa"), question("bbbbb")));
    await runCommand("approve", place, "all");
    expect([await stateOf("aaaaa"), await stateOf("bbbbb")].map(([state]) => state)).toEqual(["decided", "decided"]);
  });

  test("a word that is no code is refused", async () => {
    const place = placeOf(await waiting(question("aaaaa")));
    await expect(runCommand("approve", place, "zzzzz")).rejects.toMatchObject({ code: "APPROVAL_UNKNOWN" });
    expect(await stateOf("aaaaa")).toEqual(["open", null, undefined]);
  });

  test("/approve session refuses a call that can be allowed only once", async () => {
    const place = placeOf(await waiting(question("aaaaa", { rules: [] })));
    await expect(runCommand("approve", place, "session")).rejects.toMatchObject({ code: "APPROVAL_ONCE_ONLY" });
    expect(await stateOf("aaaaa")).toEqual(["open", null, undefined]);
  });

  test("/approve in a chat does not allow what could not be shown whole there", async () => {
    const messages = [{ kind: "question", markdown: "It is too long." }] as const;
    const place = placeOf(await waiting(question("aaaaa", { messages })));
    await expect(runCommand("approve", place, "aaaaa")).rejects.toMatchObject({ code: "APPROVAL_NOT_SHOWN" });
    expect(await stateOf("aaaaa")).toEqual(["open", null, undefined]);
  });

  test("/approve in a chat does not allow what was asked elsewhere", async () => {
    const session = await waiting(question("aaaaa"));
    const elsewhere = placeOf(session, { surface: buildSessionKey({ ...CHAT, chatId: "8" }) });
    await expect(runCommand("approve", elsewhere, "aaaaa")).rejects.toMatchObject({ code: "APPROVAL_NOT_SHOWN" });
    expect(await stateOf("aaaaa")).toEqual(["open", null, undefined]);
  });

  test("/approve says who decided before, and when", async () => {
    const session = await waiting(question("aaaaa"));
    await runCommand("deny", placeOf(session, { decider: { name: "Grace", author: "terminal" } }), "use pnpm");
    await clock.advance(120_000);
    const { reply } = await runCommand("approve", placeOf(session), "aaaaa");
    expect(reply).toBe("This was already closed: `shell: run aaaaa`. Denied by Grace: “use pnpm” on pager, 2 min ago.");
  });

  test("/approve answers the agent's own question by number or in words", async () => {
    const ask = question("aaaaa", { kind: "question", summary: "Which?", answers: ["Postgres", "SQLite"], rules: [] });
    const place = placeOf(await waiting(ask));
    await expect(runCommand("approve", place, "")).rejects.toMatchObject({ code: "APPROVAL_NEEDS_ANSWER" });
    await runCommand("approve", place, "2");
    expect(await stateOf("aaaaa")).toEqual(["decided", { kind: "answer", text: "SQLite" }, "Ada"]);
  });

  test("/approve says that nothing is open here", async () => {
    const place = placeOf(await store.sessions.create({ user: OPERATOR, origin: KEY, originChat: KEY }));
    expect((await runCommand("approve", place, "")).reply).toBe("No question is open here.");
    expect((await runCommand("deny", place, "all")).reply).toBe("No question is open here.");
  });

  test("/approve and /deny are an operator's alone", async () => {
    const place = placeOf(await waiting(question("aaaaa")), { isOperator: false, user: "pager:9" as UserId });
    for (const name of ["approve", "deny"]) {
      await expect(runCommand(name, place, "aaaaa")).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    }
    expect(await stateOf("aaaaa")).toEqual(["open", null, undefined]);
  });

  test("a code of a session that the place may not see is unknown there", async () => {
    const session = await waiting(question("aaaaa"));
    const group = buildSessionKey({ platform: "pager", chatId: "9", kind: "group" });
    const visible = { kind: "of-chat", chat: group, here: group } as const;
    const elsewhere = placeOf(session, { surface: group, visible });
    await expect(runCommand("approve", elsewhere, "aaaaa")).rejects.toMatchObject({ code: "APPROVAL_UNKNOWN" });
  });
});

describe("/deny", () => {
  test("/deny takes the reason, with or without the code", async () => {
    const place = placeOf(await waiting(question("aaaaa"), question("bbbbb")));
    await runCommand("deny", place, "aaaaa use pnpm\nplease");
    expect(await stateOf("aaaaa")).toEqual(["decided", { kind: "no", word: "use pnpm\nplease" }, "Ada"]);
    await runCommand("deny", place, "not today");
    expect(await stateOf("bbbbb")).toEqual(["decided", { kind: "no", word: "not today" }, "Ada"]);
  });
});

describe("/mode", () => {
  test("/mode shows the mode and what it means, and sets it", async () => {
    const session = await waiting(question("aaaaa"));
    const place = placeOf(session);
    expect((await runCommand("mode", place, "")).reply).toMatch(
      /mode \*\*default\*\*: the agent asks before[\s\S]*`\/mode plan`/,
    );
    expect((await runCommand("mode", place, "Plan")).reply).toContain("mode **plan**: the agent only reads");
    expect((await store.sessions.get(session.id))?.mode).toBe("plan");
    await expect(runCommand("mode", place, "yolo")).rejects.toMatchObject({ code: "USAGE" });
  });

  test("a mode is raised by an operator alone, and lowered by whose session it is", async () => {
    const session = await waiting(question("aaaaa"));
    const visible = { kind: "begun-by", user: session.user } as const;
    const guest = placeOf(session, { isOperator: false, user: "pager:9" as UserId, visible });
    await expect(runCommand("mode", guest, "plan")).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    const member = placeOf(session, { isOperator: false, user: session.user, visible });
    await expect(runCommand("mode", member, "edits")).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    await runCommand("mode", member, "plan");
    await expect(runCommand("mode", member, "default")).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    expect((await store.sessions.get(session.id))?.mode).toBe("plan");
  });

  test("before the first message, it is the mode of the session that begins", async () => {
    const session = await waiting(question("aaaaa"));
    const place = placeOf(session, { session: async () => null, nextMode: "default" });
    await runCommand("mode", place, "edits");
    expect(place.nextMode).toBe("edits");
  });
});

test("/permissions shows each rule, where it stands, and what the session allowed", async () => {
  const session = await waiting(question("aaaaa"));
  const rulesOf = async () => [
    { kind: "allow", rule: "shell(npm test)", from: "/work/hermes.config.json" } as const,
    { kind: "deny", rule: "read(secret/**)", from: "/work/hermes.config.json" } as const,
  ];
  const place = placeOf(session, { rulesOf });
  await runCommand("approve", place, "session");
  const { reply } = await runCommand("permissions", place, "");
  expect(reply).toContain("Denied:\n- `read(secret/**)` in `/work/hermes.config.json`");
  expect(reply).toContain("Allowed without asking:\n- `shell(npm test)`");
  expect(reply).toContain("Allowed for this session:\n- `shell(aaaaa)`, by Ada");
});

test("/status shows the mode, the open question and the to-do list", async () => {
  const session = await waiting(question("aaaaa"));
  await store.sessions.setMode(session.id, "plan");
  const { reply } = await runCommand("status", placeOf(session), "");
  expect(reply).toContain("- mode plan: the agent only reads");
  expect(reply).toContain("- a turn on pager has waited for an answer");
  expect(reply).toContain("- Waits for an answer: `shell: run aaaaa` (code aaaaa)");
});
