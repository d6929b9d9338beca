import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { randomIds } from "../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../base/process-identity.ts";
import { EVERY_SESSION, OPERATOR, type Session, type UserId, type Visibility } from "../model/session.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import { TestWorkspace } from "./test-workspace.ts";

const GUEST = "pager:9" as UserId;

let folder: string;
let store: Store;
let space: TestWorkspace;
let here: Session;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-sessions-"));
  const file = join(folder, "hermes.db");
  store = await openSqliteStore({ file, clock: createVirtualClock(), ids: randomIds, probe: systemProcessProbe });
  const { sessions, transcripts } = store;
  const search = {
    search: (query: Parameters<typeof transcripts.search>[0]) => transcripts.search(query),
    find: (reference: string, visible: Visibility) => sessions.find(reference, visible),
    read: (...asked: Parameters<typeof transcripts.read>) => transcripts.read(...asked),
  };
  space = new TestWorkspace({}, { sessions: search });
  here = await said("here", OPERATOR, "Where was the apple pie?", "I look.");
});
afterEach(async () => {
  await store.close();
  space[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

async function said(title: string, user: UserId, question: string, answer: string): Promise<Session> {
  const session = await store.sessions.create({ title, user, origin: "terminal", originChat: null });
  const request = { sessionId: session.id, surface: "terminal", leaseMs: 15_000, cause: { kind: "terminal" } } as const;
  const message = { role: "user", text: question } as const;
  const started = await store.turns.startTurn({ ...request, holder: thisProcess("prc_1", "terminal"), message });
  if (!started.ok) throw new Error(started.reason);
  const messages = [{ role: "assistant", text: answer }] as const;
  const { turn, fence } = started;
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
  return session;
}

const run = (call: Record<string, unknown>, visible: Visibility | undefined = EVERY_SESSION) =>
  space.run("sessions", call, space.where({ session: here, visible }));

test("finds what was said in other sessions, with session id and message number", async () => {
  const plan = await said("plan", OPERATOR, '⟦from "Ada" #790269, the operator⟧\nAn apple pie', "Take two apples.");
  expect(await run({ words: "apple pie" })).toMatch(
    new RegExp(
      `^plan \\(${plan.id}\\) #1, you, \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC: Ada: An \\[apple\\] \\[pie\\]$`,
    ),
  );
  expect(await run({ words: "pears" })).toBe(
    "No message of another session that may be seen here has all of these words.",
  );
  expect(await run({ session: plan.id, message: 2 })).toMatch(
    /^plan \(2 messages\)\n\n#1, you, .* UTC:\nAda: An apple pie\n\n#2, agent, .* UTC:\nTake two apples\.$/,
  );
});

test("finds and reads only what may be seen at the place of the call", async () => {
  const theirs = await said("theirs", GUEST, "An apple cake", "Good.");
  const mine = await said("mine", OPERATOR, "An apple tart", "Good.");
  const visible = { kind: "begun-by", user: GUEST } as const;
  expect(await run({ words: "apple" }, visible)).toContain(theirs.id);
  expect(await run({ words: "apple" }, visible)).not.toContain(mine.id);
  for (const session of [mine.id, "mine"]) {
    expect(await run({ session }, visible)).toBe(`Error: There is no session ${session} that may be seen here.`);
  }
  const unknown = await space.run("sessions", { words: "apple" }, space.where({ session: here }));
  expect(unknown).toBe("Error: It is not known which sessions may be seen here. Nothing was searched.");
});

test("there is no such tool where nothing is given to search", () => {
  using plain = new TestWorkspace();
  expect(() => plain.tool("sessions")).toThrow("there is no tool sessions");
});
