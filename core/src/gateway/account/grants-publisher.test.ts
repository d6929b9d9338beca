import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import { currentRights } from "../../store/current-rights.ts";
import { accountLease } from "../../store/work-stores.ts";

afterEach(disposeMachines);

const ACCOUNT = { platform: "loopback", account: undefined };
const HOME_KEY = buildSessionKey({ platform: "loopback", chatId: "home", kind: "dm" });
const AT_HOME = { chat: HOME_KEY, person: "person" };

it("every process reads who may do what while a gateway serves the account", async () => {
  const { gateway, terminal } = machine({ operators: ["ada"], allowedUsers: ["bob"], allowedBots: ["relay"] });
  const { store } = await terminal();
  const served = await gateway();
  expect(await store.grants.current(ACCOUNT)).toMatchObject({
    ...{ operators: ["ada"], allowedUsers: ["bob"], allowedBots: ["relay"], home: AT_HOME },
  });
  await served.end();
  expect(await store.grants.current(ACCOUNT)).toBeNull();
});

it("an author uses tools in a turn until somebody else is recorded at home", async () => {
  const held = gate();
  const { platform, gateway, terminal, model, until } = machine({}, [[{ hold: held }, { say: "Done." }]]);
  const { store } = await terminal();
  await gateway();
  await platform.write("Begin");
  await until(() => model.requests.length === 1);
  const binding = await store.bindings.get(HOME_KEY);
  const { author } = (binding && (await store.turns.running(binding.sessionId))) ?? { author: null };
  expect((await currentRights(store, author)).mayDo("tool")).toEqual({ ok: true });
  const [home] = await store.homePeople.list();
  if (home) await store.homePeople.set(home, "eve", "terminal");
  expect((await currentRights(store, author)).mayDo("tool")).toMatchObject({ ok: false });
  held.open();
});

it("whoever wrote /sethome may use tools there in every process", async () => {
  const { platform, gateway, terminal, until } = machine({ homeChannel: undefined, operators: ["person"] });
  const { store } = await terminal();
  await gateway();
  expect((await store.grants.current(ACCOUNT))?.home).toBeNull();
  await platform.write("/sethome");
  await until(() => platform.textsIn("home").length === 1);
  expect((await store.grants.current(ACCOUNT))?.home).toEqual(AT_HOME);
});

it("the operator at home is known to every process while the platform is unreachable", async () => {
  const { platform, gateway, terminal } = machine();
  const { store } = await terminal();
  await (await gateway()).end();
  const unavailable = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" });
  platform.fail("homeConversation", unavailable, 100);
  await gateway();
  expect((await store.grants.current(ACCOUNT))?.home).toEqual(AT_HOME);
});

it("a gateway that slept while another had its account publishes anew", async () => {
  const { gateway, terminal, clock, until } = machine({ operators: ["ada"] });
  const { store, holder } = await terminal();
  const { host } = await gateway();
  const lease = accountLease("loopback", undefined);
  await store.leases.release(lease, host.holder);
  await store.leases.acquire(lease, holder, 15_000);
  const others = { ...ACCOUNT, operators: ["eve"], allowedUsers: [], allowedBots: [], home: null };
  expect(await store.grants.publish(others, holder)).toBe(true);
  await store.leases.release(lease, holder);
  await clock.advance(5_000);
  await clock.advance(5_000);
  await until(async () => (await store.grants.current(ACCOUNT))?.operators[0] === "ada");
});
