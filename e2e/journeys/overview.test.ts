import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { StatusAnswer } from "../../plugins/web/src/server/wire/overview.ts";
import { BrowserClient } from "../../plugins/web/test/browser-client.ts";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

let model: ModelServer;
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.close());

const WEB = ["@hermes/plugin-web", { port: 0 }] as const;

async function signedIn(machine: HermesMachine): Promise<BrowserClient> {
  const url = /http\S+/.exec((await machine.run("web", "open")).stdout)?.[0] ?? "";
  const browser = new BrowserClient(new URL(url).origin);
  expect((await browser.signIn(url)).status).toBe(204);
  return browser;
}

it("the page shows what the commands print, to the operator alone", async () => {
  await using machine = machineWith(model, { plugins: [WEB] });
  await machine.startGateway();
  const session = await begin(machine, "Plan a trip to Rome");
  const browser = await signedIn(machine);
  const read = (path: string) => browser.get<Record<string, unknown>>(`/api/overview/${path}`);

  const { gateways } = (await read("status")) as unknown as StatusAnswer;
  expect(gateways).toMatchObject([{ pid: expect.any(Number) }]);
  for (const [path, ...command] of [
    ["sessions", "sessions"],
    [`session?id=${session}`, "sessions", "where", session],
    ["handoffs", "handoffs"],
    ["deliveries", "deliveries"],
    ["approvals", "approvals"],
    ["lanes", "lanes"],
    ["passes", "passes"],
    ["people", "people"],
    ["places", "places"],
  ] as const) {
    expect(await read(path), path).toEqual(await machine.json(...command));
  }
  expect(await read("leases")).toMatchObject({ leases: [{ kind: "account", name: "web", isLive: true }] });

  // Somebody else is the operator from now on: the browser stays signed in and sees nothing any more.
  const { code } = await machine.run("home", "operator", "web", "somebody-else", "--yes");
  expect(code).toBe(0);
  const refused = await browser.request("/api/overview/sessions");
  expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining("Rome")]);
  const action = await browser.post("/api/overview/act", { do: "drop-delivery", id: "out_1" });
  expect(action.status).toBe(403);
});

it("a config that gives the overview to no plugin takes it from the page", async () => {
  await using machine = machineWith(model, { plugins: [WEB], overview: [] });
  await machine.startGateway();
  const browser = await signedIn(machine);
  expect(await browser.get("/api/chats")).toMatchObject({ mayOversee: false });
  expect((await browser.request("/api/overview/status")).status).toBe(403);
});
