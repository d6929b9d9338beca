import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import type { DependencyContainer } from "tsyringe";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AGENT } from "../agent/agent.ts";
import { standInAgent } from "../agent/stand-in-agent.ts";
import { SECRETS } from "../base/known-secrets.ts";
import { CLOCK, HOLDER } from "../base/tokens.ts";
import { logFileOf } from "../log/file-logger.ts";
import { OPERATOR, type Session } from "../model/session.ts";
import { STORE, type Store } from "../store/store.ts";
import { TOOL_POLICY } from "../turn/tool-policy.ts";
import { TURN_RUNNER } from "../turn/turn-runner.ts";
import { createHost } from "./create-host.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hermes-host-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const SECRET = "a-very-secret-token";
const start = (override?: (container: DependencyContainer) => void) =>
  createHost({
    role: "terminal",
    environment: { HERMES_HOME: home, CHAT_TOKEN: SECRET },
    workingDirectory: home,
    ...(override && { override }),
  });

test("a first start creates the home, with a store that others cannot read", async () => {
  await using host = await start();
  expect(await host.store.sessions.count()).toBe(0);
  expect(host.config).toMatchObject({ path: null, model: null, plugins: [] });
  expect(host.holder).toMatchObject({ role: "terminal", pid: process.pid });
  expect(statSync(join(home, "store", "hermes.db")).mode & 0o777).toBe(0o600);
});

test("every part can be resolved from the container", async () => {
  await using host = await start();
  expect(host.container.resolve(STORE)).toBe(host.store);
  expect(host.container.resolve(HOLDER)).toBe(host.holder);
  const session = { origin: "terminal", workingDirectory: "/project" } as Session;
  const tools = await host.container.resolve(TOOL_POLICY).toolsOf(session);
  expect(tools.map(({ name }) => name)).toContain("shell");
  expect(host.container.resolve(TURN_RUNNER)).toHaveProperty("run");
});

test("a secret that becomes known later is redacted in what is stored and logged then", async () => {
  await using host = await start();
  const { id } = await host.store.sessions.create({
    title: "8nW2xQ7v before",
    user: OPERATOR,
    origin: "terminal",
    originChat: null,
  });
  expect((await host.store.sessions.get(id))?.title).toBe("8nW2xQ7v before");
  host.container.resolve(SECRETS).add("8nW2xQ7v");
  await host.store.sessions.setTitle(id, "8nW2xQ7v after");
  host.logger.error({ token: "8nW2xQ7v" }, "asked with 8nW2xQ7v");
  expect((await host.store.sessions.get(id))?.title).toBe("[redacted] after");
  expect(host.redact("8nW2xQ7v")).toBe("[redacted]");
  expect(readFileSync(logFileOf(home), "utf8")).not.toContain("8nW2xQ7v");
});

test("two hosts that are created concurrently have separate turn runners", async () => {
  const [one, other] = await Promise.all([start(), start()]);
  await using _one = one;
  await using _other = other;
  expect(one.runner).not.toBe(other.runner);
});

test("a host uses the parts of an embedding program instead of creating its own", async () => {
  const clock = createVirtualClock();
  const close = () => expect.unreachable("it belongs to the program");
  const store = { sessions: { count: async () => 7 }, close } as unknown as Store;
  await using host = await start((container) => {
    container.registerInstance(CLOCK, clock);
    container.registerInstance(STORE, store);
    container.registerInstance(AGENT, standInAgent);
  });
  expect(host.clock).toBe(clock);
  expect(await host.store.sessions.count()).toBe(7);
  expect(existsSync(join(home, "store"))).toBe(false);
});

test("a secret of the environment does not reach the log", async () => {
  await using host = await start();
  host.logger.error({ error: new Error(`refused ${SECRET}`) }, "failed");
  expect(readFileSync(logFileOf(home), "utf8")).toContain("refused [redacted]");
});

test("an invalid config fails the start, and the error says where", async () => {
  writeFileSync(join(home, "hermes.config.json"), '{ "modle": "a/b" }');
  await expect(start()).rejects.toThrow("modle is an unknown key; expected `model`");
});

test("two hosts on one home share its store", async () => {
  await using first = await start();
  await using second = await start();
  expect(second.holder.id).not.toBe(first.holder.id);
  expect(await second.store.sessions.count()).toBe(0);
});
