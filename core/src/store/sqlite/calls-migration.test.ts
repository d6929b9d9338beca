import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { OPERATOR } from "../../model/session.ts";
import { TOOL_INTERRUPTED } from "../../model/transcript.ts";
import { openSqliteStore } from "./index.ts";

const CHAT = { platform: "pager", chatId: "1", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);

test("a call that an earlier Hermes left without a result counts as begun", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-calls-"));
  const file = join(folder, "hermes.db");
  const open = () =>
    openSqliteStore({
      file,
      clock: systemClock,
      ids: randomIds,
      probe: { fate: (holder) => fates[holder.id] ?? "alive" },
    });
  const fates: Record<string, "gone"> = {};
  const holder = (id: string) => ({ id, host: "here", pid: 1, pidStart: "1", role: "gateway" }) as const;
  try {
    let store = await open();
    const { id } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
    const message = { conversation: CHAT, messageId: "m1", sender: { id: "ada" }, text: "go", sentAt: 1 };
    const accepted = await store.inbox.acceptInbound(KEY, message);
    if (accepted.outcome !== "accepted") throw new Error("the message was not accepted");
    const request = {
      ...{ sessionId: id, surface: KEY, leaseMs: 15_000, message: { role: "user" as const, text: "go" } },
      cause: { kind: "inbox", inboxId: accepted.row.id },
    } as const;
    const started = await store.turns.startTurn({ ...request, holder: holder("first") });
    if (!started.ok) throw new Error("the turn was not granted");
    const call = (callId: string) => ({ id: callId, name: "send", input: {} });
    await store.turns.append(started.turn.id, started.fence, [
      { role: "assistant", text: "", toolCalls: [call("a"), call("b")] },
      { role: "tool", text: "sent", toolCallId: "a" },
    ]);
    await store.close();
    const database = new Database(file);
    database.exec("DROP TABLE calls; DROP TABLE call_processes; DROP TABLE grants");
    database.pragma("user_version = 19");
    database.close();

    fates.first = "gone";
    store = await open();
    expect(await store.turns.startTurn({ ...request, holder: holder("second") })).toMatchObject({ ok: true });
    expect((await store.transcripts.read(id)).slice(2)).toMatchObject([
      { text: "sent", toolCallId: "a" },
      { text: TOOL_INTERRUPTED, toolCallId: "b" },
    ]);
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
