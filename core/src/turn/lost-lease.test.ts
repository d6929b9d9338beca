import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { expect, test, vi } from "vitest";
import { silentLogger } from "../base/logger.ts";
import { processOf } from "../base/process-identity.ts";
import type { Session, SessionId } from "../model/session.ts";
import type { Turn } from "../model/turn.ts";
import type { Store } from "../store/store.ts";
import { workspaceTools } from "../tools/index.ts";
import { MarkedTurns } from "./marked-turns.ts";
import { checkCall, runTool } from "./run-tool.ts";
import { holdTurn } from "./turn-hold.ts";

test("a holder that learns that it has lost its lease ends the command that it runs", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "hermes-lost-")));
  const clock = createVirtualClock();
  const store = {
    turns: { renewTurn: async () => false },
    watch: () => ({ [Symbol.dispose]: () => {} }),
  } as unknown as Store;
  try {
    const marked = new MarkedTurns(store);
    using hold = holdTurn({ store, clock, logger: silentLogger, marked }, { id: "trn_1", fence: 1 } as Turn, 15_000);
    const call = { id: "1.1", name: "shell", input: { command: "echo $$ >pid; sleep 60; touch made" } };
    const where = { session: { id: "ses_1" as SessionId } as Session, directory, signal: hold.signal };
    const checked = await checkCall(call, workspaceTools({ home: join(directory, "home") }));
    if (!checked.ok) throw new Error(checked.text);
    const ended = runTool(call, checked.tool, checked.input, where).catch((error) => error);
    const pidFile = join(directory, "pid");
    await vi.waitFor(() => expect(existsSync(pidFile) && readFileSync(pidFile, "utf8")).toMatch(/\n$/));
    const pid = Number(readFileSync(pidFile, "utf8"));
    await clock.advance(5_000);
    expect(hold.ending).toBe("lost");
    expect(await ended).toMatchObject({ message: "the turn was lost" });
    await vi.waitFor(() => expect(["", "zombie"]).toContain(processOf("any", pid).pidStart));
    expect(existsSync(join(directory, "made"))).toBe(false);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
