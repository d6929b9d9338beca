import { buildSessionKey } from "@hermes/core";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { hasChromium } from "./chromium.ts";
import { HOME, PHONE, usePages } from "./open-pages.ts";
import { beMember, PAGER, PAGER_KEY, startWebWithOverview, type WebWithOverview } from "./web-with-overview.ts";

/** Names that would break a page which takes them for more than text. */
const HOSTILE = [
  `<img src=x onerror="document.title='owned'">`,
  "safe\u202egnp.exe",
  "]]>--></script><script>document.title='owned'</script>",
];
const PAGER_HOME = { kind: "home", platform: "pager", account: undefined } as const;
const VERY_LONG = "W".repeat(10_000);

describe.runIf(hasChromium())("the operator's overview on the page", () => {
  let web: WebWithOverview;
  const pages = usePages(async () => {
    web = await startWebWithOverview();
    return web;
  });
  beforeEach(() => {
    expect(pages.web).toBe(web);
  });

  /** Signed in, at a section of the overview. */
  async function openOverview(path = "", options = {}): Promise<Page> {
    const page = await pages.newPage(options);
    await page.goto(await web.link(`/overview${path}`));
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    return page;
  }

  const session = (title: string) =>
    web.hermes.store.sessions.create({ title, user: "operator" as never, origin: "terminal", originChat: null });

  /** Lets the page hear of what changed: it is told once a second. */
  async function changed(): Promise<void> {
    await expect.poll(() => web.clock.isWaiting(1_000)).toBe(true);
    await web.clock.advance(1_000);
  }

  it("the operator finds it beside the chats, and goes through it by keyboard", async () => {
    await session("Fix the build");
    const page = await pages.openPage();
    await page.getByRole("link", { name: "Overview" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 session", { exact: true }).waitFor();
    expect(await page.title()).toBe("Overview · Hermes");
    const tab = page.getByRole("navigation", { name: "Overview" }).getByRole("link", { name: "Sessions" });
    await tab.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Fix the build" }).waitFor();
    expect(await tab.getAttribute("aria-current")).toBe("page");
    expect(page.url()).toBe(`${web.baseUrl}/overview/sessions`);
    await page.reload();
    await page.getByRole("link", { name: "Fix the build" }).click();
    await page.getByRole("heading", { name: "Fix the build" }).waitFor();
    await page.getByText("It was never handed off.").waitFor();
  });

  it("somebody who is no operator sees no word of it, and no link to it", async () => {
    await session("Secret plan");
    await beMember(web.hermes);
    const page = await pages.openPage();
    expect(await page.getByRole("link", { name: "Overview" }).count()).toBe(0);
    await page.goto(`${web.baseUrl}/overview/sessions`);
    await page.getByText("Only the operator can see this.").waitFor();
    expect(await page.content()).not.toContain("Secret plan");
  });

  it("the page hides what it shows when the person is no longer the operator", async () => {
    await session("Secret plan");
    const page = await openOverview("/sessions");
    await page.getByText("Secret plan").waitFor();
    await beMember(web.hermes);
    await changed();
    await page.getByText("Only the operator can see this.").waitFor();
    expect(await page.content()).not.toContain("Secret plan");
  });

  it("an undelivered message is sent again, and another dropped after a question", async () => {
    const { id } = await session("plan");
    const [one, two] = [await web.refused("The first answer.", id), await web.refused("The second answer.", id)];
    const page = await openOverview("/deliveries");
    const item = (text: string) => page.getByRole("listitem").filter({ hasText: text });
    await item("The first answer.").getByText("Pager does not permit it: you are blocked.").waitFor();
    await item("The first answer.").getByRole("button", { name: "Send again" }).click();
    await page.getByRole("status").getByText("It is sent again").waitFor();
    await item("The first answer.").waitFor({ state: "detached" });

    await item("The second answer.").getByRole("button", { name: "Drop" }).click();
    const dialog = page.getByRole("dialog", { name: /^Drop this message/ });
    await dialog.getByRole("button", { name: "Keep it" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await web.hermes.store.deliveries.get(two as never)).toMatchObject({ state: "failed" });
    await item("The second answer.").getByRole("button", { name: "Drop" }).click();
    await dialog.getByRole("button", { name: "Drop" }).click();
    await page.getByText("Every message has arrived, as far as Hermes knows.").waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("overview-said");
    expect(await web.hermes.store.deliveries.list({ limit: 9, waiting: true })).toMatchObject([{ id: one }]);
  });

  it("an action in one tab is seen in another, and done twice it says what is so", async () => {
    await web.refused("An answer.");
    const first = await openOverview("/deliveries");
    const second = await first.context().newPage();
    await second.goto(`${web.baseUrl}/overview/deliveries`);
    await second.getByText("An answer.").waitFor();
    // The second tab has not heard of it when it is asked for the same.
    await first.getByRole("button", { name: "Send again" }).click();
    await first.getByText("Every message has arrived").waitFor();
    await second.getByRole("button", { name: "Send again" }).click();
    await second.getByRole("alert").getByText("Hermes is already sending the message").waitFor();
    await second.getByText("Every message has arrived").waitFor();
    await web.refused("Another answer.");
    await changed();
    for (const page of [first, second]) await page.getByText("Another answer.").waitFor();
  });

  it("names of people and models are text in every list, however hostile and long", { timeout: 240_000 }, async () => {
    const { store } = web.hermes;
    for (const name of [...HOSTILE, VERY_LONG.slice(0, 80)]) {
      const { id } = await session(name);
      const conversation = { ...PAGER, chatId: name };
      const key = buildSessionKey(conversation);
      await store.bindings.bind({ key, conversation, sessionId: id, mirrors: false });
      const message = { conversation, messageId: name, sender: { id: name, name }, text: name, sentAt: 0 };
      await store.inbox.acceptInbound(key, message);
      await store.handoffs.requestHandoff(id, PAGER_HOME);
      await web.refused(name, id);
    }
    const [image = "", turned = ""] = HOSTILE;
    await store.gateways.heartbeat({
      ...{ id: "gw_1", holder: web.hermes.gateway, startedAt: 0, configPath: null },
      platforms: [
        {
          ...{ platform: "pager", health: { state: "down", detail: image }, standby: false, takesHandoffs: true },
          ...{ home: { chatId: "7", name: turned, kind: "dm", key: PAGER_KEY }, notice: VERY_LONG },
        },
      ],
    });
    await web.refused(`${VERY_LONG}\u202e<b>bold</b>`);
    for (const section of ["sessions", "deliveries", "handoffs", "lanes", "leases", "people", ""]) {
      const page = await openOverview(`/${section}`);
      await page.getByRole("list").first().waitFor();
      if (!["leases", "people"].includes(section)) await page.getByText("<img src=x").first().waitFor();
      expect(await page.title()).toBe("Overview · Hermes");
      expect(await page.locator("main img, main script, main b").count()).toBe(0);
      const isWider = "document.documentElement.scrollWidth > innerWidth";
      expect(await page.evaluate(isWider), section).toBe(false);
      // A sign that turns the direction is shown, and turns nothing.
      expect(await page.locator("main").innerText()).not.toContain("\u202e");
      await page.context().close();
    }
  });

  it("the operator sees what was used, by day and by model", async () => {
    const { store, gateway } = web.hermes;
    const { id } = await session("plan");
    const begin = { sessionId: id, holder: gateway, cause: { kind: "terminal" }, surface: "terminal" } as const;
    const started = await store.turns.startTurn({
      ...{ ...begin, leaseMs: 60_000, message: { role: "user", text: "Hi" } },
    });
    if (!started.ok) throw new Error(started.reason);
    const tokens = { input: 5_000, cacheRead: 0, cacheWrite: 0, output: 100 };
    await store.turns.finishTurn({
      ...{ turnId: started.turn.id, fence: started.fence, state: "done", outbox: [] },
      messages: [{ role: "assistant", text: "Hello." }],
      usage: [
        {
          kind: "message",
          ...tokens,
          model: "acme/<b>fast",
          person: "operator" as never,
          cost: 1_230_000,
          isEstimated: false,
        },
      ],
    });
    const page = await openOverview("/usage");
    await page.getByText("$1.23 for 1 request: 5k tokens sent, 100 written").first().waitFor();
    await page.getByRole("button", { name: "By model" }).click();
    await page.getByText("acme/<b>fast").waitFor();
    await page.context().close();
  });

  it("a session shows its places, the steps of its handoffs and its questions", async () => {
    const { store, gateway } = web.hermes;
    const { id } = await session("plan");
    await store.bindings.bind({ key: PAGER_KEY, conversation: PAGER, sessionId: id, mirrors: false });
    const asked = await store.handoffs.requestHandoff(id, { ...PAGER_HOME, platform: "web" });
    if (!asked.ok) throw new Error("the handoff was refused");
    const handoff = asked.handoff.id;
    await store.handoffs.claimHandoff(handoff, gateway, 60_000);
    await web.clock.advance(230);
    await store.handoffs.advanceHandoff(handoff, gateway, "threaded", {
      conversation: HOME,
      link: `${web.baseUrl}/t/x`,
    });
    const page = await openOverview(`/sessions/${id}`);
    const way = page.getByRole("region", { name: "The way it took" });
    await way.getByText("3 steps").click();
    await way.getByText("place opened 230 ms").waitFor();
    expect(await way.getByRole("link", { name: "Open" }).getAttribute("href")).toBe(`${web.baseUrl}/t/x`);
    await page.getByRole("region", { name: "Places" }).getByText("on pager").waitFor();
    expect(await way.getByRole("button", { name: "Cancel" }).count()).toBe(0);
  });

  it("a pass in use is revoked after a question", async () => {
    const { id } = await session("plan");
    const { codes } = web.hermes.store;
    const pass = { kind: "pass", issuer: "operator" as never, person: null, sessionId: id, who: null } as const;
    const { number } = await codes.create({ ...pass, code: "ABCD2345", ttlMs: 60 * 60_000 });
    const page = await openOverview("/passes");
    await page.getByText(`pass ${number}`).waitFor();
    expect(await page.content()).not.toMatch(/ABCD-?2345/);
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("There is no pass.").waitFor();
    expect(await codes.get(number)).toMatchObject({ state: "revoked" });
  });

  it("a question shows the whole of what is asked, and is answered there", async () => {
    const { store, gateway } = web.hermes;
    const { id } = await session("plan");
    const started = await store.turns.startTurn({
      ...{ sessionId: id, holder: gateway, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000 },
      message: { role: "user", text: "clean up" },
    });
    if (!started.ok) throw new Error(started.reason);
    const { turn, fence } = started;
    const call = { id: "1.1", name: "shell", input: {} };
    await store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls: [call] }]);
    const detail = `rm -rf build\n${"x".repeat(3_000)}\nrm -rf \u202e/`;
    await store.turns.parkTurn({
      ...{ turnId: turn.id, fence, reason: "approval", shownAt: [], outbox: [] },
      approvals: [
        {
          ...{ id: "apr_0123456789abcdef" as never, code: "k3mxp", callId: "1.1", kind: "call", tool: "shell" },
          ...{ summary: "rm -rf build", detail, digest: "d", rules: [], answers: [], messages: [], ttlMs: null },
        },
      ],
    });
    const page = await openOverview("/questions");
    await page.getByText("shell: rm -rf build").waitFor();
    expect(await page.locator("pre.asked").innerText()).toMatch(/^rm -rf build\nx{3000}\nrm -rf U\+202E\/$/);
    expect(await page.getByRole("button", { name: "Allow for the session" }).count()).toBe(0);
    expect(await page.content()).not.toContain("apr_0123456789abcdef");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Nothing waits for an answer.").waitFor();
    expect(await store.approvals.byCode("k3mxp")).toMatchObject({
      ...{ state: "decided", decision: { kind: "no" }, decidedBy: { name: "an operator" } },
    });
  });

  it("a person's account is unlinked after a question", async () => {
    const { people } = web.hermes.store;
    const { id } = await people.add({ name: "Ada <b>", role: "member" });
    await people.link({ platform: "pager", account: undefined, key: "ada" }, id, "terminal", "<i>Ada</i>");
    const page = await openOverview("/people");
    const ada = page.getByRole("listitem").filter({ hasText: "Ada <b>" });
    await ada.getByText("<i>Ada</i>").waitFor();
    await ada.getByText("their role here").waitFor();
    await ada.getByRole("button", { name: "Unlink" }).click();
    const dialog = page.getByRole("dialog", { name: "Is ada on pager no longer Ada <b>?" });
    await dialog.getByRole("button", { name: "Unlink" }).click();
    await page.getByText("ada on pager is not Ada <b> any more. 1 identity unlinked.").waitFor();
    await expect.poll(() => ada.getByRole("button", { name: "Unlink" }).count()).toBe(0);
    expect(await people.of({ platform: "pager", account: undefined }, "ada")).toBeNull();
  });

  it("a newcomer is let in after a question with name and id, another turned away", async () => {
    const { codes, people } = web.hermes.store;
    for (const [key, name] of [
      ["eve", "E<b>v</b>e\u202e"],
      ["mallory", "Mallory"],
    ] as const) {
      const conversation = { ...PAGER, chatId: key };
      const surface = buildSessionKey(conversation);
      const who = { platform: "pager", account: undefined, key, id: key, name, conversation, surface };
      await codes.requestPairing({ code: key === "eve" ? "ABCD2345" : "ABCD2346", who, ttlMs: 60_000, outbox: [] });
    }
    const page = await openOverview("/people");
    const newcomers = page.getByRole("region", { name: "Newcomers" });
    const eve = newcomers.getByRole("listitem").filter({ hasText: "E<b>v</b>e on pager (eve)" });
    await eve.getByRole("button", { name: "Let them in" }).click();
    const dialog = page.getByRole("dialog", { name: "Let E<b>v</b>e on pager (eve) talk to the agent?" });
    await dialog.getByRole("button", { name: "Not now" }).click();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Let them in");
    expect(await people.of({ platform: "pager", account: undefined }, "eve")).toBeNull();
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Let them in" }).click();
    await page.getByRole("status").getByText("E<b>v</b>e may talk to the agent from now on").waitFor();
    expect(await people.of({ platform: "pager", account: undefined }, "eve")).toMatchObject({ role: "member" });
    await newcomers.getByRole("button", { name: "No: Mallory" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "No", exact: true }).click();
    await page.getByRole("status").getByText("Mallory on pager (mallory) was not let in").waitFor();
    await newcomers.waitFor({ state: "detached" });
    expect(await codes.get(2)).toMatchObject({ state: "refused" });
  });

  it("a person is added, gets a link code, another role and name, and is removed again", async () => {
    const { codes, people } = web.hermes.store;
    const page = await openOverview("/people", { viewport: { width: 320, height: 640 } });
    const said = page.getByRole("status");
    const press = async (name: string, question: RegExp, button = name) => {
      await page.getByRole("button", { name, exact: true }).click();
      await page.getByRole("dialog", { name: question }).getByRole("button", { name: button }).click();
    };
    const add = page.getByRole("region", { name: "Add a person" });
    await add.getByLabel("Name").fill("Ada");
    await press("Add", /^Add Ada as a member\? They may talk/);
    await said.getByText("Ada is a member from now on").waitFor();
    await add.getByLabel("Name").fill("ADA");
    await press("Add", /^Add ADA/);
    await page.getByRole("alert").getByText("Somebody is called ADA already.").waitFor();

    await page.getByLabel("Change Ada").click();
    await press("Link code", /^Make a code that links an account to Ada/);
    await said.getByText("Then it is asked here whether that is Ada").waitFor();
    const code = (await said.locator("code").textContent()) ?? "";
    const who = { platform: "pager", account: undefined, key: "a1", id: "a1", name: "Ada L", conversation: PAGER };
    const sent = { code: code.replace("-", ""), who: { ...who, surface: PAGER_KEY }, user: null, messageId: "m1" };
    expect(await codes.redeem({ ...sent, mirrors: false, outbox: [] })).toMatchObject({ ok: true });
    await changed();
    await press("Yes: Ada L on pager (a1) is Ada", /^Is Ada L on pager \(a1\) Ada\?/, "Yes");
    await said.getByText("Ada L on pager (a1) is Ada from now on.").waitFor();

    await press("Make an operator", /^Make Ada an operator\? They see every session/);
    await said.getByText("Ada is an operator from now on.").waitFor();
    const [ada] = await people.find("Ada");
    const { id: sessionId } = await session("plan");
    const pass = { kind: "pass", person: null, sessionId, who: null, ttlMs: 60 * 60_000 } as const;
    await codes.create({ ...pass, code: "ABCD2345", issuer: ada?.id ?? ("" as never) });
    await changed();
    await page.locator(".change").getByLabel("Name").nth(1).fill("Grace");
    await press("Rename", /^Call Ada “Grace” from now on\?/);
    await said.getByText("Ada is called Grace from now on.").waitFor();
    await press("Remove", /^Remove Grace\? pager a1 will be nobody's\. A pass of theirs will be revoked\./);
    await said.getByText("Grace is removed. 1 identity unlinked, 1 pass revoked.").waitFor();
    expect(await people.find("Grace")).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  });

  it("a session is handed off to a place that is chosen, after a question", async () => {
    const { store, gateway } = web.hermes;
    const { id } = await session("plan");
    const home = { chatId: "7", name: "Team", kind: "group", shared: true, key: PAGER_KEY } as const;
    const pager = { platform: "pager", health: { state: "up" }, standby: false, takesHandoffs: true, home } as const;
    await store.gateways.heartbeat({ id: "gw_1", holder: gateway, startedAt: 0, configPath: null, platforms: [pager] });
    const page = await openOverview(`/sessions/${id}`);
    await page.getByLabel("Place", { exact: true }).selectOption("pager");
    await page.getByRole("button", { name: "Hand off" }).click();
    const dialog = page.getByRole("dialog", {
      name: /^Hand this session off to pager\? Everybody in Team will be able to read it/,
    });
    await dialog.getByRole("button", { name: "Hand off" }).click();
    await page.getByText("Requested. Its progress is shown below.").waitFor();
    const way = page.getByRole("region", { name: "The way it took" });
    await way.getByText("terminal → pager").waitFor();
    expect(await store.handoffs.latestOf(id)).toMatchObject({ state: "pending", platform: "pager" });
    // A second one says what is in the way, and what to do.
    await page.getByRole("button", { name: "Hand off" }).click();
    await dialog.getByRole("button", { name: "Hand off" }).click();
    await page.getByRole("alert").getByText("is already being handed off").waitFor();
  });

  it("a handoff that waits is cancelled after a question", async () => {
    const { id } = await session("plan");
    await web.hermes.store.handoffs.requestHandoff(id, PAGER_HOME);
    const page = await openOverview("/handoffs");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Cancelled. The session is where it was.").waitFor();
    await page.getByRole("listitem").filter({ hasText: "→ pager" }).getByText("failed").first().waitFor();
    expect(await web.hermes.store.handoffs.latestOf(id)).toMatchObject({ state: "failed" });
  });

  it("10,000 sessions are shown in pages, and searched by the server", async () => {
    for (let at = 0; at < 10_000; at += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, n) => session(`session ${at + n}`)));
      await web.clock.advance(1);
    }
    const page = await openOverview("/sessions");
    const items = page.getByRole("listitem");
    await expect.poll(() => items.count()).toBe(50);
    const firstLink = items.first().getByRole("link");
    const first = await firstLink.textContent();
    await page.getByRole("button", { name: "Next page" }).click();
    await expect.poll(() => firstLink.textContent()).not.toBe(first);
    expect(await items.count()).toBe(50);
    await page.getByRole("button", { name: "Earlier page" }).click();
    await expect.poll(() => firstLink.textContent()).toBe(first);
    await page.getByLabel("Find a session by its title").fill("session 1234");
    await expect.poll(() => items.count()).toBe(1);
    await page.getByLabel("Find a session by its title").fill("<img");
    await page.getByText("No session is called so.").waitFor();
  });

  it("on a phone, the overview fits and leads back to the chats", async () => {
    await web.refused(VERY_LONG);
    const page = await openOverview("/deliveries", PHONE);
    await page.getByRole("button", { name: "Drop" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    await page.getByRole("link", { name: "All conversations" }).click();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });
});
