import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

/** The built command, in processes of its own: what a test of functions cannot show. */
const CORE = resolve(import.meta.dirname, "../..");
const BIN = join(CORE, "bin", "hermes.js");

/** A platform that takes whatever it is sent. */
const CONFIG = `
import { defineConfig, definePlugin, PLAIN_TEXT_ONLY, PlatformAdapter } from "@hermes/core";

class Pager extends PlatformAdapter {
  platform = "pager";
  capabilities = { ...PLAIN_TEXT_ONLY, threads: true };
  async start() {}
  async stop() {}
  render = ({ markdown }) => [{ text: markdown }];
  send = async () => ({ messageId: "1", sentAt: Date.now() });
  homeConversation = async ({ chatId }) => ({ platform: "pager", chatId, kind: "dm" });
  createHandoffThread = async (chatId) => ({
    conversation: { platform: "pager", chatId, kind: "dm", threadId: "1" },
    link: "https://pager.example/7/1",
  });
}

const pager = definePlugin({
  package: "pager",
  platform: "pager",
  apiVersion: 2,
  schema: {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: () => ({
        value: { homeChannel: { chatId: "7" }, allowedUsers: [], operators: [], sessionPerUser: false },
      }),
    },
  },
  create: async () => new Pager(),
});

export default defineConfig({ plugins: [pager()] });
`;

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-process-"));
  mkdirSync(join(folder, "node_modules", "@hermes"), { recursive: true });
  symlinkSync(CORE, join(folder, "node_modules", "@hermes", "core"));
  writeFileSync(join(folder, "hermes.config.mjs"), CONFIG);
  children = [];
});

afterEach(async () => {
  await hermes("gateway", "stop").ended;
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function hermes(...argv: string[]) {
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd: folder,
    // Named, since the program lies elsewhere.
    env: {
      PATH: process.env.PATH,
      HERMES_HOME: join(folder, "home"),
      HERMES_CONFIG: join(folder, "hermes.config.mjs"),
    },
    stdio: "pipe",
  });
  children.push(child);
  const text = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
      for (const look of watchers) look();
    });
  }
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, ...text }));
  });
  return {
    child,
    ended,
    printed: (wanted: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (text.stdout.includes(wanted)) resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}

async function json(...argv: string[]) {
  const { stdout } = await hermes(...argv, "--json").ended;
  return JSON.parse(stdout);
}

test("a gateway in the background takes a session that is handed off, and is stopped", {
  timeout: 240_000,
}, async () => {
  const asked = await json("chat", "-q", "plan the trip");
  expect(asked.text).not.toBe("");

  const started = await json("gateway", "--detach");
  expect(started).toMatchObject({ pid: expect.any(Number), started: true });
  expect(await json("gateway", "--detach")).toMatchObject({ pid: started.pid, started: false });
  expect(await json("status")).toMatchObject({
    gateways: [{ pid: started.pid }],
    adapters: [{ platform: "pager", health: "up", standby: false }],
    sessions: 1,
  });

  const moved = await hermes("handoff", "pager", "--session", "plan the trip").ended;
  expect(moved).toMatchObject({ code: 0, stderr: "" });
  expect(moved.stdout).toContain("https://pager.example/7/1");
  expect(await json("sessions", "show", asked.sessionId)).toMatchObject({
    lastSurface: "agent:main:pager:dm:7:t=1",
    messages: [{ role: "user" }, { role: "assistant" }, { role: "user", internal: true }, { role: "assistant" }],
  });

  expect(await json("gateway", "stop")).toEqual({ stopped: [started.pid] });
  expect((await json("status")).gateways).toEqual([]);
});

test("a gateway in the foreground says when it is ready, and drains on SIGTERM", { timeout: 240_000 }, async () => {
  const gateway = hermes("gateway");
  await gateway.printed("The gateway is ready");
  gateway.child.kill("SIGTERM");
  const { code, stdout } = await gateway.ended;
  expect(code).toBe(0);
  expect(stdout).toContain("pager up");
});

test("a gateway that cannot start says why, in the background too", { timeout: 240_000 }, async () => {
  writeFileSync(join(folder, "hermes.config.mjs"), "export default { plugins: [] };");
  const inFront = await hermes("gateway").ended;
  expect(inFront.code).toBe(1);
  const { code, stderr } = await hermes("gateway", "--detach").ended;
  expect(code).toBe(1);
  expect(stderr).toContain("The gateway did not start");
  expect(stderr).toContain(inFront.stderr.split("\n")[0]?.replace(/\.$/, ""));
});

test("killing a chat leaves its session as it was", { timeout: 240_000 }, async () => {
  const chat = hermes("chat");
  chat.child.stdin.write("hello\n");
  await chat.printed("Where this session stands");
  const before = await json("sessions", "show", "hello");
  chat.child.kill("SIGHUP");
  expect((await chat.ended).code).toBe(129);
  expect(await json("sessions", "show", "hello")).toEqual(before);
});

test("piped output is not coloured, and a reader may leave early", { timeout: 240_000 }, async () => {
  const { stdout, code } = await hermes("--help").ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain("\u001b");
  const unread = hermes("--help");
  unread.child.stdout.destroy();
  expect(await unread.ended).toMatchObject({ code: 0, stderr: "" });
});
