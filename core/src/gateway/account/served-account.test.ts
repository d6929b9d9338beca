import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import type { DependencyContainer } from "tsyringe";
import { afterEach, expect, it, vi } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HermesError } from "../../base/errors.ts";
import { STORE, type Store } from "../../store/store.ts";
import { accountLease } from "../../store/work-stores.ts";
import { Gateway } from "../gateway.ts";

afterEach(disposeMachines);

const HOME = { platform: "loopback", chatId: "home", kind: "dm" } as const;
const AT_HOME = { key: buildSessionKey(HOME), conversation: HOME };
const BUSY = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });

/** A machine whose gateways' store can be made to fail, before anything of the account has used it. */
function failing(prepare: (store: Store) => void) {
  const parts: DependencyContainer[] = [];
  const made = machine({}, [], [], (container) => void parts.push(container));
  let isFirst = true;
  made.platform.onListening = () => {
    if (isFirst) for (const container of parts) prepare(container.resolve(STORE));
    isFirst = false;
  };
  return made;
}

it("nothing is sent while an account is down whose services could not all be started", async () => {
  const { platform, gateway, until, clock } = failing(({ inbox }) => {
    vi.spyOn(inbox, "openLanes").mockRejectedValueOnce(BUSY);
  });
  const { host } = await gateway();
  await until(() => platform.listening.size === 0);
  await host.store.outbox.enqueue([{ ...AT_HOME, message: { kind: "notice", markdown: "Hi" } }]);
  for (let i = 0; i < 50; i++) await clock.advance(1);
  expect(platform.textsIn("home")).toEqual([]);
  await until(() => platform.textsIn("home").length > 0);
  expect(platform.textsIn("home")).toEqual(["Hi"]);
});

/** A gateway that shows a session to somebody, and whose store is busy when it no longer does. */
async function servedWhileBusy() {
  const made = failing(({ views }) => {
    vi.spyOn(views, "close").mockRejectedValueOnce(BUSY);
  });
  const { platform, gateway, until } = made;
  const plugin = platform.plugin.bind(platform);
  platform.plugin = () => ({
    ...plugin(),
    create: async (deps) => Object.assign(await plugin().create(deps), { watched: () => [HOME] }),
  });
  const served = await gateway();
  const { store } = served.host;
  await platform.write("Hi");
  await until(() => platform.textsIn("home").length === 1);
  const { sessionId } = (await store.bindings.get(AT_HOME.key)) ?? {};
  await until(async () => sessionId !== undefined && (await store.views.of(sessionId)).length > 0);
  return { ...made, ...served };
}

it("nothing is sent after an account went down although the store was busy as it did", async () => {
  const { platform, host, until, clock } = await servedWhileBusy();
  for (const events of platform.listening) events.fail(new Error("the line broke"));
  await until(() => platform.listening.size === 0);
  await host.store.outbox.enqueue([{ ...AT_HOME, message: { kind: "notice", markdown: "Late" } }]);
  for (let i = 0; i < 50; i++) await clock.advance(1);
  expect(platform.textsIn("home")).toEqual(["An answer."]);
  await until(() => platform.textsIn("home").length > 1);
  expect(platform.textsIn("home")).toEqual(["An answer.", "Late"]);
});

it("a gateway that ends stops its adapter although the store is busy then", async () => {
  const { platform, end } = await servedWhileBusy();
  await end().catch(() => {});
  expect(platform.listening.size).toBe(0);
});

it("a gateway that ends while it asks for its account serves it no more", async () => {
  const { platform, terminal, clock } = machine();
  const host = await terminal();
  const { leases } = host.store;
  const { acquire } = (await terminal()).store.leases;
  const slow = gate();
  vi.spyOn(leases, "acquire").mockImplementationOnce(async (...asked) => {
    await slow.pass();
    return acquire(...asked);
  });
  const gateway = new Gateway(host);
  const starting = gateway.start();
  await slow.reached;
  const ended = gateway[Symbol.asyncDispose]();
  slow.open();
  await Promise.all([starting, ended]);
  await clock.advance(60_000);
  expect(platform.listening.size).toBe(0);
  expect(await leases.acquire(accountLease("loopback", undefined), { ...host.holder, id: "prc_next" }, 1)).toBe(true);
});
