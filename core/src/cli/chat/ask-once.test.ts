import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, gate, PDF_FILE, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("hermes chat -q", () => {
  test("prints the answer and nothing else", async () => {
    bench.model.push("It is **four**.");
    const { code, stdout, stderr } = await bench.hermes("chat", "-q", "2 + 2?");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "It is **four**.\n", stderr: "" });
  });

  test("--json prints the session and the answer, and --session continues it", async () => {
    bench.model.push("One.", "Two.");
    const first = (await bench.hermes("chat", "-q", "Say one", "--json")).json();
    expect(first).toEqual({ sessionId: expect.stringMatching(/^ses_/), text: "One." });
    const second = await bench.hermes("-q", "Say two", "--session", "Say one", "--json");
    expect(second.json()).toEqual({ sessionId: first.sessionId, text: "Two." });
    expect(bench.model.requests[1]?.messages.map((message) => message.text)).toEqual(["Say one", "One.", "Say two"]);
  });

  test("names the files that the agent sends, and where they lie", async () => {
    writeFileSync(join(bench.folder, "report.pdf"), PDF_FILE);
    const call = { call: [{ name: "send_file", input: { path: "report.pdf", caption: "The numbers" } }] };
    bench.model.push([call, { say: "Here." }], [call, { say: "Here." }]);
    const path = join(realpathSync(bench.folder), "report.pdf");
    const { stdout, stderr } = await bench.hermes("chat", "-q", "Send it");
    expect(stdout).toBe("Here.\n");
    expect(stderr).toContain(`📎 report.pdf (${PDF_FILE.length} bytes)  ${path}  The numbers\n`);
    const { files } = (await bench.hermes("chat", "-q", "Send it", "--json")).json();
    const about = { name: "report.pdf", mediaType: "application/pdf", size: PDF_FILE.length };
    expect(files).toEqual([{ ...about, path, caption: "The numbers" }]);
  });

  test("asks the question with what is piped in below it", async () => {
    bench.model.push("Fine.");
    const run = bench.start(["chat", "-q", "Review this"], { piped: true });
    run.type("-a");
    run.type("+b");
    run.end();
    expect(await run.ended).toBe(0);
    expect(bench.model.requests[0]?.messages.at(-1)?.text).toBe("Review this\n\n-a\n+b");
  });

  test("reads the question from what is piped in", async () => {
    bench.model.push("Four.");
    const run = bench.start(["chat", "-q", "-"], { piped: true });
    run.type("What is 2 + 2?");
    run.end();
    expect(await run.ended).toBe(0);
    expect(bench.model.requests[0]?.messages.at(-1)?.text).toBe("What is 2 + 2?");
    const empty = bench.start(["chat", "-q", "-"], { piped: true });
    empty.end();
    expect(await empty.ended).toBe(2);
    expect(empty.stderr()).toContain("The message is empty");
  });

  test("refuses what is piped in where it is no text, and asks nothing", async () => {
    const run = bench.start(["chat", "-q", "Review this"], { piped: true });
    run.press("\0\x01");
    run.end();
    expect(await run.ended).toBe(2);
    expect(run.stderr()).toContain("no text in UTF-8");
    expect(bench.model.requests).toHaveLength(0);
  });

  test("hermes chat -q waits at most 3 s for a pipe that stays open", async () => {
    bench.model.push("Fine.");
    const run = bench.start(["chat", "-q", "Review this"], { piped: true });
    await vi.waitFor(async () => {
      await clock.advance(3_000);
      expect(run.stderr()).toContain("Nothing was piped in within 3 s");
    });
    expect(await run.ended).toBe(0);
  });

  test("begins a session that uses whatever model the config names later", async () => {
    bench.model.push("One.");
    const file = join(bench.folder, "hermes.config.json");
    writeFileSync(file, JSON.stringify({ model: "ollama/gone" }));
    const { sessionId } = (await bench.hermes("chat", "-q", "Say one", "--json", "--config", file)).json();
    expect(await bench.host.store.sessions.get(sessionId)).toMatchObject({ model: null });
  });

  test("--json reports that the answer was stopped, by Ctrl-C or elsewhere", async () => {
    const held = gate();
    bench.model.push([{ say: "Begun " }, { hold: held }, { say: "never" }]);
    const run = bench.start(["chat", "-q", "hello", "--json"]);
    await held.reached;
    run.signal("SIGINT");
    expect(await run.ended).toBe(1);
    const document = JSON.parse(run.stdout());
    expect(document).toEqual({
      sessionId: expect.stringMatching(/^ses_/),
      text: null,
      error: {
        code: "TURN_STOPPED",
        message: "The turn was stopped before it was answered.",
        hint: expect.stringContaining(`hermes resume ${document.sessionId}`),
      },
    });
  });

  test("a model that does not answer is a failure", async () => {
    bench.model.push([{ fail: new Error("overloaded") }]);
    const { code, stdout, stderr } = await bench.hermes("chat", "-q", "hello");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("overloaded");
  });
});
