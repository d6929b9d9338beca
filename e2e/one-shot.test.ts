import { join } from "node:path";
import type { SessionId } from "@hermes/core/embed";
import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HermesMachine, HermesProcess } from "./support/hermes-process.ts";
import { begin } from "./support/journey.ts";
import { machineWith, startModel } from "./support/model.ts";

let model: ModelServer;
let machine: HermesMachine;
let gateway: HermesProcess;
let sessionId: SessionId;
let handoffId: string;

const text = expect.any(String);
const number = expect.any(Number);
const textOrNull = expect.toSatisfy((value) => value === null || typeof value === "string");

const session = {
  id: text,
  title: textOrNull,
  user: "operator",
  origin: text,
  lastSurface: text,
  model: textOrNull,
  workingDirectory: textOrNull,
  messageCount: number,
  createdAt: number,
  updatedAt: number,
};
const anything = expect.toSatisfy(() => true);
const handoff = {
  handoffId: text,
  sessionId: text,
  platform: "web",
  state: text,
  step: textOrNull,
  // Where it landed, once it has.
  conversation: anything,
  place: textOrNull,
  link: textOrNull,
  error: null,
};

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model);
  gateway = await machine.startGateway();
  sessionId = await begin(machine, "Plan a trip");
  const document = (await once(["handoff", "web", "-s", sessionId])) as { handoffId: string };
  handoffId = document.handoffId;
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

describe("with --json a command prints one document, and nothing else", () => {
  it("chat -q", async () => {
    expect(await once(["chat", "-q", "Hello"])).toEqual({ sessionId: text, text: "Answer to: Hello" });
    expect(await once(["chat", "-q", "Go on", "-s", sessionId])).toEqual({ sessionId, text: "Answer to: Go on" });
  });

  it("handoff, waited for and not", async () => {
    const first = await begin(machine, "Plan another trip");
    expect(await once(["handoff", "web", "-s", first])).toEqual({
      ...handoff,
      sessionId: first,
      state: "completed",
      step: "delivered",
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/t\/|^http/),
    });
    const second = await begin(machine, "Plan yet another trip");
    expect(await once(["handoff", "web", "-s", second, "--no-wait"])).toEqual({
      ...handoff,
      sessionId: second,
      state: "pending",
      step: null,
    });
  });

  it("handoffs, handoffs show", async () => {
    const steps = expect.arrayContaining([{ step: "claimed", at: number }]);
    const ended = { attempt: 1, requestedAt: number, endedAt: number, steps, warnings: [] };
    expect(await once(["handoffs", "--limit", "1"])).toMatchObject({ handoffs: [{ ...handoff, ...ended }] });
    expect(await once(["handoffs", "list", "--in-flight"])).toEqual({ handoffs: expect.any(Array) });
    expect(await once(["handoffs", "show", handoffId])).toEqual({
      ...handoff,
      title: "Plan a trip",
      way: [expect.objectContaining({ from: "terminal", to: "web › Home › Plan a trip", state: "completed" })],
      conversation: { platform: "web", chatId: "home", kind: "dm", threadId: text },
      place: "web › Home › Plan a trip",
      handoffId,
      ...ended,
    });
  });

  it("sessions list, show, search, title, export, delete", async () => {
    const id = await begin(machine, "Plan a picnic");
    const listed = { ...session, id, title: "Plan a picnic", lastPlace: "in the terminal", openQuestions: 0 };
    expect(await once(["sessions", "-n", "1"])).toEqual({ sessions: [listed], cursor: text });
    const shown = {
      ...session,
      id,
      messages: [
        { role: "user", text: "Plan a picnic", createdAt: number },
        { role: "assistant", text: "Answer to: Plan a picnic", createdAt: number },
      ],
    };
    const state = expect.objectContaining({ from: "transcript", decisions: [] });
    expect(await once(["sessions", "show", id])).toEqual({ ...shown, state, way: [], compactions: [] });
    expect(await once(["sessions", "export", id])).toEqual(shown);
    const file = join(machine.folder, "picnic.md");
    expect(await once(["sessions", "export", id, "-o", file])).toEqual({ id, file, messages: 2, files: 0 });
    const { hits } = (await once(["sessions", "search", "picnic"])) as { hits: readonly unknown[] };
    expect(hits).toEqual(expect.arrayContaining([expect.objectContaining({ sessionId: id, snippet: text })]));
    expect(await once(["sessions", "title", id, "Lunch", "outside"])).toEqual({ id, title: "Lunch outside" });
    expect(await once(["sessions", "delete", id, "--force"])).toEqual({ id, deleted: true, unbound: [] });
  });

  it("status, gateway --detach beside one that runs", async () => {
    const running = { id: text, pid: gateway.pid };
    expect(await once(["status"])).toMatchObject({
      gateways: [{ ...running, startedAt: number, heartbeatAt: number }],
      adapters: [{ platform: "web", health: "up", detail: null }],
      sessions: number,
      handoffs: expect.any(Array),
    });
    expect(await once(["gateway", "--detach"])).toEqual({ ...running, started: false });
  });

  it("plugins, config check, trust, and a platform's own commands", async () => {
    expect(await once(["plugins"])).toMatchObject({
      plugins: expect.arrayContaining([expect.objectContaining({ platform: "web", health: "up", problem: null })]),
    });
    expect(await once(["config", "check"])).toEqual({
      path: machine.configPath,
      ok: true,
      problems: [],
      warnings: expect.any(Array),
      envFile: null,
    });
    expect(await once(["trust", machine.folder])).toEqual({ folder: text, files: [machine.configPath] });
    // What it prints may have to be acted on before it can end, so it is on stderr as it is printed.
    const { code, stdout, stderr } = await machine.run("web", "open", "--json");
    const document = JSON.parse(stdout) as { lines: string[] };
    expect(document).toMatchObject({ platform: "web", command: "open", exitCode: code });
    expect(stderr).toBe(document.lines.map((line) => `${line}\n`).join(""));
    expect(await once(["web"])).toEqual({ platform: "web", commands: expect.any(Array) });
  });

  it("help of a platform's command runs nothing, and so does an unknown option", async () => {
    const { stdout: link } = await machine.run("web", "open");
    const { origin, hash } = new URL(link.split("\n", 1)[0] ?? "");
    const headers = { "content-type": "application/json", origin };
    const body = JSON.stringify({ code: hash.replace("#code=", "") });
    expect((await fetch(`${origin}/api/login`, { method: "POST", headers, body })).status).toBe(204);
    expect(await once(["web", "sign-out", "--help"])).toMatchObject({ platform: "web", command: "sign-out" });
    const unknown = await machine.run("web", "sign-out", "--al");
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
    expect((await machine.run("web", "sign-out")).stdout).toBe("1 browser was signed out.\n");
  });
});

describe("with --json an error is the one document, and the exit code tells its kind", () => {
  it.each([
    [1, "SESSION_UNKNOWN", ["sessions", "show", "nowhere"]],
    [1, "SESSION_UNKNOWN", ["chat", "-q", "Hello", "-s", "nowhere"]],
    [1, "HANDOFF_UNKNOWN", ["handoffs", "show", "nowhere"]],
    [1, "CONFIG_NOT_FOUND", ["sessions", "--config", "nowhere.json"]],
    [1, "TITLE_INVALID", ["sessions", "title", "1", "x".repeat(100)]],
    [2, "USAGE", ["chat"]],
    [2, "USAGE", ["resume", "1"]],
    [1, "SESSION_IN_USE", ["sessions", "delete", "Plan a trip"]],
    [2, "USAGE", ["sessions", "delete", "Hello"]],
    [2, "USAGE", ["sessions", "--limit", "none"]],
    [2, "USAGE", ["sesions"]],
    [2, "USAGE", ["web", "nowhere"]],
    [2, "USAGE", ["--no-such-option"]],
  ])("%d %s: hermes %s", async (exitCode, code, args) => {
    expect(await once(args, exitCode)).toEqual({ error: { code, message: text, hint: text } });
  });

  it.each([
    [1, "HANDOFF_PLATFORM_UNKNOWN", "nowhere", ["nowhere", "-s", "1"]],
    [1, "SESSION_UNKNOWN", "web", ["web", "-s", "nowhere"]],
    [2, "USAGE", null, []],
  ])("%d %s: of a handoff that is refused, the fields stand there with it", async (exitCode, code, platform, args) => {
    expect(await once(["handoff", ...args], exitCode)).toEqual({
      ...handoff,
      handoffId: null,
      sessionId: textOrNull,
      platform,
      state: null,
      error: { code, message: text, hint: text },
    });
  });

  it("1 AGENT_FAILED: the model says no", async () => {
    model.push({ status: 400, message: "not today" });
    expect(await once(["chat", "-q", "Hello"], 1)).toEqual({
      sessionId: text,
      text: null,
      error: { code: "AGENT_FAILED", message: expect.stringContaining("not today"), hint: text },
    });
  });

  it("3: no gateway takes the handoff in time, and a later one finds nothing to do", async () => {
    const id = await begin(machine, "Plan a trip that waits");
    await machine.suspend(gateway);
    try {
      expect(await once(["handoff", "web", "-s", id, "--ttl", "1"], 3)).toEqual({
        ...handoff,
        sessionId: id,
        state: "failed",
        error: { code: "HANDOFF_NOT_CLAIMED", message: expect.stringContaining("within 1 s"), hint: text },
      });
    } finally {
      gateway.kill("SIGCONT");
    }
    const forPeople = await machine.run("handoffs");
    expect(forPeople.stdout).toMatch(/Plan a trip that waits → web: failed/);
  });
});

/** Runs a command with --json; returns the document. Nothing else is on stdout, and nothing on stderr. */
async function once(args: readonly string[], exitCode = 0): Promise<unknown> {
  const { code, stdout, stderr } = await machine.run(...args, "--json");
  expect({ code, stderr }, stdout).toEqual({ code: exitCode, stderr: "" });
  return JSON.parse(stdout);
}
