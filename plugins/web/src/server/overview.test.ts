import { buildSessionKey } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BrowserClient } from "../../test/browser-client.ts";
import { BrowserClient as Client } from "../../test/browser-client.ts";
import { startWeb } from "../../test/running-web.ts";
import { beMember, beOperator, startWebWithOverview, type WebWithOverview } from "../../test/web-with-overview.ts";
import type { ChatsAnswer } from "./wire/thread.ts";

const PATHS = [
  "status",
  "sessions",
  "session?id=ses_1",
  "handoffs",
  "deliveries",
  "approvals",
  "lanes",
  "leases",
].concat(
  "passes",
  "people",
  "requests",
  "usage",
  // Not even whether a request makes sense is told.
  ["nothing", "sessions?limit=x"],
);
const ACTIONS = [{ do: "drop-delivery", id: "out_1" }, { do: "allow", code: "k3mxp" }, { do: "nothing" }];

let web: WebWithOverview;
let browser: BrowserClient;
beforeEach(async () => {
  web = await startWebWithOverview();
  browser = await web.browser();
});
afterEach(() => web[Symbol.asyncDispose]());

const statusOf = async (response: Promise<Response>) => (await response).status;

/** The bodies of all refusals: all of them the same sentence. */
async function refusals(client: BrowserClient): Promise<Set<string>> {
  const bodies = new Set<string>();
  for (const path of PATHS) {
    const response = await client.request(`/api/overview/${path}`);
    bodies.add(`${response.status} ${await response.text()}`);
  }
  for (const action of ACTIONS) {
    const response = await client.post("/api/overview/act", action);
    bodies.add(`${response.status} ${await response.text()}`);
  }
  return bodies;
}

const NOT_OPERATOR = expect.stringMatching(/^403 .*NOT_OPERATOR.*Only the operator can see this/);

describe("who sees the overview", () => {
  it("the operator reads every document, as the commands print it", async () => {
    const { store } = web.hermes;
    const { id } = await store.sessions.create({
      title: "plan",
      user: "operator" as never,
      origin: "terminal",
      originChat: null,
    });
    expect(await browser.get<ChatsAnswer>("/api/chats")).toMatchObject({ mayOversee: true });
    const read = (path: string) => browser.get(`/api/overview/${path}`);
    expect(await read("status")).toMatchObject({ gateways: [], adapters: [], sessions: 1 });
    expect(await read("sessions?matching=pl&limit=1")).toMatchObject({
      sessions: [{ id, title: "plan" }],
      cursor: null,
    });
    expect(await read(`session?id=${id}`)).toMatchObject({ id, places: [], state: null, approvals: [] });
    expect(await read("handoffs")).toEqual({ handoffs: [] });
    expect(await read("deliveries")).toEqual({ deliveries: [] });
    expect(await read("approvals")).toEqual({ approvals: [] });
    expect(await read("lanes?offset=5")).toEqual({ lanes: [], total: 0 });
    expect(await read("leases")).toMatchObject({ leases: [{ kind: "account", name: "web" }] });
    expect(await read("passes")).toEqual({ passes: [] });
    expect(await read("usage?by=model&days=7")).toMatchObject({
      by: "model",
      requests: 0,
      said: "nothing",
      groups: [],
    });
  });

  it("somebody at the page who is no operator gets one sentence, whatever they ask", async () => {
    await beMember(web.hermes);
    expect(await browser.get<ChatsAnswer>("/api/chats")).toMatchObject({ mayOversee: false });
    expect([...(await refusals(browser))]).toEqual([NOT_OPERATOR]);
  });

  it("a page whose plugin may not have the overview shows it to nobody", async () => {
    await using plain = await startWeb();
    const client = await plain.browser();
    expect(await client.get<ChatsAnswer>("/api/chats")).toMatchObject({ mayOversee: false });
    expect([...(await refusals(client))]).toEqual([NOT_OPERATOR]);
  });

  it("a browser that is not signed in, or was signed out, gets nothing", async () => {
    const signedOut = new Client(web.baseUrl);
    expect([...(await refusals(signedOut))]).toEqual([expect.stringMatching(/^401 .*NOT_SIGNED_IN/)]);
    signedOut.cookie = (browser.cookie ?? "").replace(/=.*/, "=made-up");
    expect([...(await refusals(signedOut))]).toEqual([expect.stringMatching(/^401 .*NOT_SIGNED_IN/)]);
  });

  it("a request from another page or by another name is refused", async () => {
    const id = await web.refused("An answer.");
    const drop = { do: "drop-delivery", id };
    const forged: readonly Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of forged) {
      expect(await statusOf(browser.post("/api/overview/act", drop, headers))).toBe(403);
      expect(await statusOf(browser.request("/api/overview/status", { headers }))).toBe(403);
    }
    expect(await statusOf(browser.post("/api/overview/act", drop, { "content-type": "text/plain" }))).toBe(415);
    expect(await web.hermes.store.deliveries.get(id as never)).toMatchObject({ state: "failed" });
  });
});

describe("what the operator does there", () => {
  const act = (action: object) => browser.post("/api/overview/act", action);

  it("sends a failed delivery again and drops another one", async () => {
    const [one, two] = [await web.refused("one"), await web.refused("two")];
    expect(await (await act({ do: "retry-delivery", id: one })).json()).toMatchObject({ state: "waiting" });
    expect(await (await act({ do: "drop-delivery", id: two })).json()).toMatchObject({ state: "dropped" });
    const { deliveries } = web.hermes.store;
    expect(await deliveries.list({ limit: 9, waiting: true })).toMatchObject([{ id: one, state: "waiting" }]);
    const again = await act({ do: "retry-delivery", id: one });
    expect([again.status, (await again.json()).error.text]).toEqual([
      409,
      expect.stringMatching(/already sending.*--waiting/),
    ]);
    const gone = await act({ do: "drop-delivery", id: two });
    expect([gone.status, (await gone.json()).error.text]).toEqual([404, expect.stringContaining("hermes deliveries")]);
  });

  it("sends a message that is held back only after a yes to those who would read it", async () => {
    const { deliveries, bindings, sessions } = web.hermes.store;
    const session = await sessions.create({
      title: "plan",
      user: "operator" as never,
      origin: "terminal",
      originChat: null,
    });
    const id = await web.refused("The secret plan.", session.id);
    const delivery = await deliveries.get(id as never);
    if (delivery === null) throw new Error("it is not there");
    const group = { ...delivery.conversation, chatId: "group", kind: "group" } as const;
    const to = { key: buildSessionKey(group), conversation: group };
    await bindings.moveChat(delivery, to, { kind: "notice", markdown: "Moved." });
    const read = await browser.get<{ deliveries: { readBy: string }[] }>("/api/overview/deliveries");
    expect(read.deliveries).toMatchObject([{ deliveryId: id, readBy: expect.stringMatching(/^Everybody in /) }]);
    const readBy = read.deliveries[0]?.readBy;
    // Whoever said yes was asked about others.
    for (const wrong of [{}, { readBy: null }, { readBy: "Ada" }]) {
      const refused = await act({ do: "retry-delivery", id, ...wrong });
      expect([refused.ok, (await refused.json()).error.text]).toEqual([false, expect.stringMatching(/^Everybody in /)]);
    }
    expect(await deliveries.get(id as never)).toMatchObject({ state: "failed" });
    expect(await (await act({ do: "retry-delivery", id, readBy })).json()).toMatchObject({ state: "waiting" });
  });

  it("checks each action by who the person is at that moment", async () => {
    const id = await web.refused("An answer.");
    await browser.get("/api/overview/deliveries");
    await beMember(web.hermes);
    expect(await statusOf(act({ do: "drop-delivery", id }))).toBe(403);
    await beOperator(web.hermes);
    expect(await statusOf(act({ do: "drop-delivery", id }))).toBe(200);
  });

  it("refuses what it does not know", async () => {
    const wrong = [
      { do: "drop-delivery" },
      { do: "deny", code: "x".repeat(41) },
      { do: "drop-delivery", id: "x", more: 1 },
    ];
    for (const action of wrong) expect(await statusOf(act(action))).toBe(422);
    expect(await statusOf(browser.request("/api/overview/sessions?limit=101"))).toBe(422);
    expect(await statusOf(browser.request("/api/overview/everything"))).toBe(422);
  });

  it("refuses more actions than a browser may take in a minute", async () => {
    await using slow = await startWebWithOverview({ limits: { messagesPerMinute: 2 } });
    const client = await slow.browser();
    const drop = () => client.post("/api/overview/act", { do: "drop-delivery", id: "x" });
    expect([await statusOf(drop()), await statusOf(drop())]).toEqual([404, 404]);
    const last = await drop();
    expect([last.status, Number(last.headers.get("retry-after"))]).toEqual([429, 60]);
    await slow.clock.advance(60_000);
    expect(await statusOf(drop())).toBe(404);
  });
});

describe("the sign that something changed", () => {
  it("the operator's pages are woken once a second at most, without what changed", async () => {
    const events = await browser.follow();
    const changed = web.hermes.overview.watch.bind(web.hermes.overview);
    const seen = Promise.withResolvers<void>();
    using _ = changed(() => seen.resolve());
    await web.refused("one");
    await web.refused("two");
    await seen.promise;
    await web.clock.advance(1_000);
    const event = await events.next();
    expect(event).toEqual({ type: "overview", id: null });
    await events.close();
  });

  it("the page of somebody who is no operator is not woken", async () => {
    await beMember(web.hermes);
    const events = await browser.follow();
    const seen = Promise.withResolvers<void>();
    using _ = web.hermes.overview.watch(() => seen.resolve());
    await web.refused("one");
    await seen.promise;
    await web.clock.advance(1_000);
    // The next event is another one.
    await browser.post("/api/threads/home/messages", { id: "message-1", text: "hello" });
    expect(await events.next()).toMatchObject({ type: expect.stringMatching(/^(message|thread)$/) });
    await events.close();
  });
});
