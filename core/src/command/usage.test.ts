import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import { randomIds } from "../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../base/process-identity.ts";
import type { CodeSender } from "../model/code.ts";
import { OPERATOR, type Session, type UserId } from "../model/session.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./command.ts";
import { runCommand } from "./run-command.ts";

const ADA = "pager:ada" as UserId;
const clock = createVirtualClock(new Date(2026, 0, 10, 12).getTime());
const holder = thisProcess("prc_test", "gateway");

let folder: string;
let store: Store;
let session: Session;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-usage-"));
  const file = join(folder, "store", "hermes.db");
  store = await openSqliteStore({ file, clock, ids: randomIds, probe: systemProcessProbe });
  session = await store.sessions.create({ title: "plan", user: ADA, origin: "terminal", originChat: null });
  await spent(ADA, 1_230_000);
  await spent(OPERATOR, 2_000_000);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function spent(person: UserId, cost: number): Promise<void> {
  const begin = { sessionId: session.id, holder, cause: { kind: "terminal" }, surface: "terminal" } as const;
  const started = await store.turns.startTurn({
    ...{ ...begin, leaseMs: 15_000, message: { role: "user", text: "Hi" } },
  });
  if (!started.ok) throw new Error(started.reason);
  const tokens = { input: 5_000, cacheRead: 0, cacheWrite: 0, output: 100 };
  const usage = [{ kind: "message", ...tokens, model: "acme/fast", person, cost, isEstimated: false }] as const;
  const { turn, fence } = started;
  await store.turns.finishTurn({
    ...{ turnId: turn.id, fence, state: "done", outbox: [], usage },
    messages: [{ role: "assistant", text: "Hello." }],
  });
}

function usage(argument: string, changes: Partial<CommandContext>): Promise<string> {
  const place = {
    ...{ store, clock, surface: buildSessionKey({ platform: "pager", chatId: "7", kind: "dm" }), isGuest: false },
    session: async () => session,
    windowOf: () => 20_000,
    ...changes,
  } as CommandContext;
  return runCommand("usage", place, argument).then(({ reply }) => reply);
}

const sender = {} as CodeSender;
const member = { user: ADA, isOperator: false, sender };
const operator = { user: OPERATOR, isOperator: true, sender };

describe("/usage", () => {
  test("shows the window, the session and one's own use to a member", async () => {
    expect(await usage("", member)).toBe(
      [
        "**plan**",
        "- window: 5k of 20k tokens of acme/fast (25 %), just now",
        "- this session: $3.23 for 2 requests: 10k tokens sent, 200 written",
        "",
        "- by you, today: $1.23 for 1 request: 5k tokens sent, 100 written",
        "- by you, in 30 days: $1.23 for 1 request: 5k tokens sent, 100 written",
      ].join("\n"),
    );
  });

  test("shows what everybody used to an operator in private", async () => {
    const reply = await usage("", operator);
    expect(reply).toContain("- by you, today: $2.00 for 1 request");
    expect(reply).toContain("- by everybody, today: $3.23 for 2 requests");
    expect(await usage("person", operator)).toMatch(/\| operator \| 1 \| 5k \| 0 \| 100 \| \$2\.00 \|/);
    expect(await usage("person", member)).not.toContain("operator");
  });

  test("shows the limits, and how much of each is used", async () => {
    const limits = { session: { tokens: 50_000 }, person: { dollars: 2 }, day: { dollars: 9, tokens: 100_000 } };
    expect(await usage("", { ...operator, limits })).toMatch(
      /- limit: 50k tokens \(10\.2k used\) for this session\n- limit: \$2\.00 \(\$2\.00 used\) for one person today\n- limit: \$9\.00 \(\$3\.23 used\) or 100k tokens \(10\.2k used\) for today$/,
    );
    expect(await usage("", { ...member, limits })).not.toContain("$9.00");
  });

  test("shows nothing but the session where others read", async () => {
    const reply = await usage("", { ...operator, sender: undefined } as Partial<CommandContext>);
    expect(reply).toContain("- this session: $3.23");
    expect(reply).not.toContain("by you");
    expect(await usage("person", { ...operator, sender: undefined } as Partial<CommandContext>)).toContain(
      "private chats",
    );
  });

  test("allows more beyond the limits that are reached, to operators", async () => {
    const limits = { session: { dollars: 3 }, person: { dollars: 1 }, day: { dollars: 9 } };
    expect(await usage("more", { ...member, limits })).toBe("Only an operator may allow more.");
    const place = { ...operator, limits, requestId: "req_1", typed: (command: string) => `/${command}` };
    const reply = [
      "Beyond the limit of $3.00 for this session, up to $6.23 may be used now.",
      "Beyond the limit of $1.00 for one person today, up to $3.00 may be used now.",
      "Beyond the limit of $1.00 for one person today, up to $2.23 may be used now.",
      "`/retry` asks your last message again.",
    ];
    expect(await usage("more", place)).toBe(reply.join("\n"));
    expect(await usage("more", place)).toBe("No limit is reached here.");
  });

  test("shows each turn of the session as a table", async () => {
    expect(await usage("turn", operator)).toMatch(/^\*\*plan\*\*\n\n\| Turn .*\n.*\n\| Hi \| 1 \|/);
    expect(await usage("year", operator)).toBe("Usage is shown by turn, session, day, person or model.");
  });
});
