import { homedir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { describe, expect, it, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { Output } from "../../terminal/output.ts";
import { createTestBench } from "../test-bench.ts";
import { createTestTerminal } from "../test-terminal.ts";
import { StatusRow } from "./status-row.ts";

const FACTS = {
  mode: "default",
  model: "test/large",
  window: "34 % of 200k",
  folder: join(homedir(), "work", "app"),
  elsewhere: ["in another terminal", "on pager"],
} as const;

function drawn(columns: number, ...facts: readonly Partial<ConstructorParameters<typeof Object>[0]>[]): string[] {
  const { io, stdout } = createTestTerminal({ home: "/", workingDirectory: "/", interactive: true });
  const row = new StatusRow(new Output({ ...io, columns: () => columns }, { json: false }));
  let seen = 0;
  return facts.map((one) => {
    row.set(one);
    const text = stdout().slice(seen);
    seen = stdout().length;
    return text;
  });
}

describe("the row below the prompt", () => {
  it("the row says model, window, folder, and where else the session is open", () => {
    expect(drawn(100, FACTS)).toEqual([
      "test/large · 34 % of 200k · also open in another terminal, on pager · ~/work/app",
    ]);
  });

  it("the row is not drawn again while nothing has changed", () => {
    const [first, second, third] = drawn(100, FACTS, { ...FACTS }, { window: "35 % of 200k" });
    expect(first).toContain("34 %");
    expect(second).toBe("");
    expect(third).toContain("35 %");
  });

  it.each([
    [60, "test/large · also open in another terminal, on pager"],
    [80, "test/large · 34 % of 200k · also open in another terminal, on pager"],
  ])("leaves out the folder first in a window of %i columns", (columns, row) => {
    const [shown = ""] = drawn(columns, FACTS);
    expect([...shown].length).toBeLessThanOrEqual(columns);
    expect(shown).toBe(row);
  });

  it("shows a mode that is not the default, and what it means while it is new", () => {
    const isNewMode = true;
    const [changed = "", then = ""] = drawn(100, { ...FACTS, mode: "plan", isNewMode }, { isNewMode: false });
    expect(changed).toMatch(/^plan · Shift-Tab changes it · the agent only reads/);
    expect(then).toMatch(/^plan · test\/large · 34 %/);
    expect(drawn(50, { ...FACTS, mode: "plan" })).toEqual(["plan · also open in another terminal, on pager"]);
  });

  it("shows no control characters of a folder or a model, and stays one row", () => {
    const [shown = ""] = drawn(100, { ...FACTS, folder: "/tmp/a\u001b[2J\nb", elsewhere: [] });
    expect(shown).toBe("test/large · 34 % of 200k · /tmp/a [2J b");
  });
});

test("the row says where else the session is open, and no more once it is not", async () => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const { store, holder } = bench.host;
  const { id } = await bench.begin("plan");
  const conversation = { platform: "pager", chatId: "7", kind: "dm" } as const;
  const key = buildSessionKey(conversation);
  await store.bindings.bind({ key, conversation, sessionId: id, mirrors: false });
  const chat = bench.start(["resume", "plan"], { interactive: true });
  await chat.printed("also open on pager");
  await store.views.keep({ sessionId: id, holder, surface: "terminal", restedMs: 0, leaseMs: 90_000 });
  await chat.printed("also open in another terminal, on pager");
  await store.views.close(holder);
  await store.bindings.unbind(key);
  const before = chat.stdout().length;
  chat.press("x");
  await expect.poll(() => chat.stdout().slice(before)).toMatch(/test\/scripted(?!.*also open)|scripted/);
  chat.press("\x15");
  chat.end();
  expect(await chat.ended).toBe(0);
});
