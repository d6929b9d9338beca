import { gate } from "@hermes/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "./chromium.ts";
import { PHONE, usePages } from "./open-pages.ts";
import { contrastOf, styleOf } from "./styles.ts";
import { startWebWithGateway } from "./web-with-gateway.ts";

const NARROW = { ...PHONE, viewport: { width: 360, height: 740 } };
const write = (page: Page) => page.getByLabel("Message", { exact: true });
const list = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const head = (page: Page) => page.getByRole("main").locator("header");
const facts = (page: Page) => page.getByRole("button", { name: /^This session:/ });

/** What is wider than the screen. */
const isWide = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = (globalThis as unknown as { document: { documentElement: never } }).document
      .documentElement as { scrollWidth: number; clientWidth: number };
    return scrollWidth > clientWidth;
  });

describe.runIf(hasChromium())("the sessions on the page", () => {
  const pages = usePages(() => startWebWithGateway());
  const { openPage } = pages;

  it("lists what the person may see, the latest first, and where each is open", async () => {
    await pages.web.begun("Fix the build", "Why does it fail?");
    await pages.web.begun("Plan a trip", "Where to?");
    const page = await openPage();
    const entries = list(page).getByRole("button", { name: /last used/ });
    await expect.poll(() => entries.allInnerTexts()).toHaveLength(2);
    const [first, second] = await entries.allInnerTexts();
    expect(first).toMatch(/^Plan a trip\s+\d.*2 messages · last used in the terminal/s);
    expect(second).toContain("Fix the build");
    // Another one appears by itself.
    await pages.web.begun("Buy bread", "Which?");
    await list(page)
      .getByRole("button", { name: /Buy bread/ })
      .waitFor();
  });

  it("pages through many sessions", async () => {
    const { store } = pages.web.host;
    const begin = (at: number) =>
      store.sessions.create({
        title: `Session ${at}`,
        user: "operator" as never,
        origin: "terminal",
        originChat: null,
      });
    for (let at = 0; at < 40; at++) await begin(at);
    const page = await openPage();
    const entries = list(page).getByRole("button", { name: /^Session \d+/ });
    await expect.poll(() => entries.count()).toBe(30);
    await list(page).getByRole("button", { name: "Older sessions" }).click();
    await expect.poll(() => entries.count()).toBe(40);
    const older = () => list(page).getByRole("button", { name: "Older sessions" }).count();
    await expect.poll(older).toBe(0);
    await begin(40);
    await expect.poll(() => entries.count()).toBe(41);
    expect(await older()).toBe(0);
  });

  it("a press brings a session here, says where else it is open, and leaves it there", async () => {
    const id = await pages.web.begun("Fix the build", "Why does it fail?");
    const { store } = pages.web.host;
    const terminal = await pages.web.terminal();
    await store.views.keep({
      ...{ sessionId: id as never, holder: terminal.holder, surface: "terminal", restedMs: 0, leaseMs: 90_000 },
    });
    const page = await openPage();
    const entry = list(page).getByRole("button", { name: /Fix the build/ });
    await entry.getByText(`Open in a terminal (pid ${terminal.holder.pid})`).waitFor();
    await entry.click();
    await page.getByRole("log").getByText("Last request: Why does it fail?").waitFor();
    await page.getByRole("heading", { level: 1, name: "Fix the build" }).waitFor();
    await head(page).getByText(`Also open in a terminal (pid ${terminal.holder.pid})`).waitFor();
    await expect.poll(() => store.views.of(id as never)).toMatchObject([{ surface: "terminal" }, {}]);
    pages.web.model.push("Because of a missing file.");
    await write(page).fill("Why then?");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("Because of a missing file.").waitFor();
    // An answer is shown as it grows, before it is stored.
    await expect
      .poll(async () => (await store.transcripts.read(id as never)).map(({ text }) => text))
      .toEqual(["Why does it fail?", "An answer.", "Why then?", "Because of a missing file."]);
    // It is there now: a link, and the same thread however often it is pressed.
    const link = list(page).getByRole("link", { name: /Fix the build/ });
    await link.waitFor();
    await expect.poll(() => link.getAttribute("aria-current")).toBe("page");
    const url = page.url();
    await list(page).getByRole("link", { name: "Home" }).click();
    await link.click();
    expect(page.url()).toBe(url);
    await expect.poll(() => store.bindings.of(id as never)).toHaveLength(1);
  });

  it("a session that is gone is refused in a sentence", async () => {
    const id = await pages.web.begun("Fix the build", "Why does it fail?");
    await pages.web.host.store.sessions.delete(id as never);
    const page = await openPage();
    const answer = await page.evaluate(async (sessionId) => {
      const body = JSON.stringify({ id: "a-request-of-a-test", sessionId });
      const headers = { "content-type": "application/json" };
      const response = await fetch("/api/sessions/open", { method: "POST", headers, body });
      return [response.status, ((await response.json()) as { error: { text: string } }).error.text];
    }, id);
    expect(answer).toEqual([410, "There is no such session any more that you may see."]);
  });

  it("a new session begins in a thread of its own, which is called as the session is", async () => {
    const page = await openPage();
    await list(page).getByRole("button", { name: "New session" }).click();
    await page.getByRole("heading", { level: 1, name: "New session" }).waitFor();
    const url = page.url();
    expect(new URL(url).pathname).toMatch(/^\/t\/thr_/);
    // Unused, it is the same one.
    await list(page).getByRole("link", { name: "Home" }).click();
    await list(page).getByRole("button", { name: "New session" }).click();
    await expect.poll(() => page.url()).toBe(url);
    await expect.poll(() => write(page).evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await write(page).fill("Hello");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("An answer.").waitFor();
    await write(page).fill("/title Bake a cake");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Bake a cake" }).waitFor();
    await list(page)
      .getByRole("link", { name: /Bake a cake/ })
      .waitFor();
  });

  it("the search finds titles and what was said, by keyboard alone", async () => {
    await pages.web.begun("The garden", "Where do I begin?");
    await pages.web.begun("Fix the build", "Does the north gate of the garden open?");
    const page = await openPage();
    await list(page)
      .getByRole("button", { name: /The garden/ })
      .waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("garden");
    await list(page).getByText("Found: 1 title, 1 message.").waitFor();
    await expect.poll(() => list(page).locator("mark").allTextContents()).toEqual(["garden", "garden"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Fix the build" }).waitFor();
    await page
      .getByRole("log")
      .getByText(/Last request: Does the north gate/)
      .waitFor();
    // Esc ends the search, then goes back to where one writes.
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    await list(page).getByRole("heading", { name: "Sessions" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => write(page).evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    // Where one writes, a slash is a slash.
    await page.keyboard.type("/");
    await expect.poll(() => write(page).inputValue()).toBe("/");
    await write(page).fill("");
    await list(page).getByRole("link", { name: "Home" }).focus();
    await page.keyboard.press("/");
    await page.keyboard.type("nowhere");
    await list(page)
      .getByText(/^Nothing has all of these words/)
      .waitFor();
  });

  it("words that somebody chose are words in the list, and nothing else", async () => {
    const hostile = `<img src=x onerror="document.title='owned'"> \u202egnp.exe`;
    await pages.web.begun(hostile, `gate <b>[bold]</b> ${hostile}`);
    const page = await openPage();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("gate");
    await list(page).getByText("Found: 0 titles, 1 message.").waitFor();
    await expect.poll(() => list(page).locator(".excerpt").innerText()).toContain("gate <b>[bold]</b>");
    await expect.poll(() => list(page).locator("img, b").count()).toBe(0);
    expect(await page.title()).not.toContain("owned");
  });

  it("the head says model, mode, window and cost, and changes the mode", async () => {
    await pages.web.begun("Fix the build", "Why does it fail?");
    const page = await openPage();
    await list(page)
      .getByRole("button", { name: /Fix the build/ })
      .click();
    await expect.poll(() => facts(page).innerText()).toMatch(/model · \d+ % of the window · \$0\.\d+/);
    await facts(page).focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: "This session" });
    await panel
      .getByText(/scripted\/model/)
      .first()
      .waitFor();
    await panel.getByText(/tokens sent/).waitFor();
    await panel.getByText(/of 1,000 tokens/).waitFor();
    await panel.getByLabel("Change the mode", { exact: true }).selectOption("plan");
    await panel.getByRole("button", { name: "Use this mode", exact: true }).click();
    await page.getByRole("log").getByText("This session is in the mode plan").waitFor();
    await expect.poll(() => facts(page).innerText()).toContain("mode plan");
    await expect.poll(() => panel.isVisible()).toBe(false);
    await expect.poll(() => facts(page).evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
    // Esc closes the panel, and the focus is back where it was.
    await page.keyboard.press("Enter");
    await panel.getByLabel("Change the model").fill("nobody/has-this");
    await page.keyboard.press("Escape");
    await expect.poll(() => panel.isVisible()).toBe(false);
    await page.keyboard.press("Enter");
    await panel.getByLabel("Change the model").fill("nobody/has-this");
    await page.keyboard.press("Enter");
    await page
      .getByRole("log")
      .getByText(/There is no provider|nobody/)
      .last()
      .waitFor();
  });

  it("a turn that runs is stopped with Esc or the button, be it the terminal's", async () => {
    const id = await pages.web.begun("Fix the build", "Why does it fail?");
    const page = await openPage();
    await list(page)
      .getByRole("button", { name: /Fix the build/ })
      .click();
    await page
      .getByRole("log")
      .getByText(/^Resumed/)
      .waitFor();
    const stopping = head(page).getByRole("button", { name: "Stop" });
    await expect.poll(() => stopping.count()).toBe(0);
    const held = gate();
    pages.web.model.push([{ say: "It fails " }, { hold: held }, { say: "because." }]);
    await write(page).fill("Tell me");
    await page.keyboard.press("Enter");
    await stopping.waitFor();
    await head(page)
      .getByRole("status")
      .getByText(/Hermes is working .* Escape stops it/)
      .waitFor();
    await list(page)
      .getByRole("link", { name: /Fix the build.*Working…/ })
      .waitFor();
    await write(page).focus();
    await page.keyboard.press("Escape");
    await page.getByRole("log").getByText("Stopping; what was said so far is kept.").waitFor();
    await stopping.waitFor({ state: "detached" });
    // In the terminal.
    const again = gate();
    pages.web.model.push([{ say: "Hm " }, { hold: again }, { say: "no." }]);
    const { runner } = await pages.web.terminal();
    const running = runner.run({
      ...{ sessionId: id as never, cause: { kind: "terminal" }, surface: "terminal", tools: false },
      message: { role: "user", text: "And now?" },
    });
    await stopping.waitFor();
    await stopping.focus();
    await page.keyboard.press("Enter");
    await stopping.waitFor({ state: "detached" });
    await running;
    await expect.poll(() => write(page).evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    held.open();
    again.open();
  });

  it("at 360 pixels, all of it fits, is found by thumb, and goes there and back", async () => {
    await pages.web.begun("Fix the build ".repeat(5).trim(), "gate ".repeat(40) + "x".repeat(300));
    const page = await openPage("/", NARROW);
    await page.getByRole("link", { name: "All conversations" }).tap();
    await expect.poll(() => isWide(page)).toBe(false);
    const [icon, field] = await Promise.all(
      [".search .icon", ".search input"].map((part) => page.locator(part).boundingBox()),
    );
    expect((icon?.x ?? 0) + (icon?.width ?? 0)).toBeLessThanOrEqual(field?.x ?? 0);
    expect(icon?.y).toBeGreaterThan(field?.y ?? 999);
    await page.getByRole("searchbox", { name: "Search sessions" }).fill("gate");
    await list(page)
      .getByText(/Found: 0 titles, 1 message/)
      .waitFor();
    await expect.poll(() => isWide(page)).toBe(false);
    await list(page)
      .getByRole("button", { name: /Fix the build/ })
      .tap();
    await page
      .getByRole("log")
      .getByText(/^Resumed/)
      .waitFor();
    await expect.poll(() => isWide(page)).toBe(false);
    await facts(page).tap();
    const panel = page.getByRole("region", { name: "This session" });
    await panel.getByRole("button", { name: "Use this mode", exact: true }).waitFor();
    await expect.poll(() => isWide(page)).toBe(false);
    for (const target of [...(await panel.getByRole("button").all()), facts(page)]) {
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
    const box = await panel.boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 360).toBe(true);
    await page.goBack();
    await list(page).waitFor();
    await page.getByRole("button", { name: "New session" }).tap();
    await page.getByRole("heading", { level: 1, name: "New session" }).waitFor();
  });

  it.each(["light", "dark"] as const)(
    "all of it has names and roles, and can be read in %s colours",
    async (colorScheme) => {
      const id = await pages.web.begun("The garden gate", "Does the north gate open?");
      const { store, holder } = pages.web.host;
      const terminal = { ...holder, id: "a terminal", pid: 12, role: "terminal" } as const;
      await store.views.keep({
        ...{ sessionId: id as never, holder: terminal, surface: "terminal", restedMs: 0, leaseMs: 90_000 },
      });
      const page = await openPage("/", { colorScheme, reducedMotion: "reduce" });
      await list(page)
        .getByRole("button", { name: /garden/ })
        .click();
      await facts(page).click();
      const panel = page.getByRole("region", { name: "This session" });
      await panel.getByText("in a terminal (pid 12)").waitFor();
      await page.getByRole("search").getByRole("searchbox", { name: "Search sessions" }).fill("gate");
      await list(page).getByRole("status").getByText("Found: 1 title, 1 message.").waitFor();
      for (const role of ["button", "link", "textbox", "searchbox", "combobox", "region"] as const) {
        await expect.poll(() => page.getByRole(role, { name: /^$/ }).count(), { message: role }).toBe(0);
      }
      await expect.poll(() => page.getByRole("heading", { level: 1 }).count()).toBe(1);
      await expect.poll(() => list(page).getByRole("heading", { level: 2 }).allInnerTexts()).toHaveLength(2);
      await expect.poll(() => facts(page).getAttribute("aria-expanded")).toBe("true");
      const paper = await styleOf(page.locator("body"), "background-color");
      const sheet = await styleOf(page.getByRole("main"), "background-color");
      const mark = list(page).locator("mark").first();
      for (const [what, text, background] of [
        ["a place", await styleOf(list(page).locator(".entry-places").first(), "color"), paper],
        ["an excerpt", await styleOf(list(page).locator(".excerpt").first(), "color"), paper],
        ["a mark", await styleOf(mark, "color"), await styleOf(mark, "background-color")],
        ["the facts", await styleOf(facts(page), "color"), sheet],
        ["the panel", await styleOf(panel.locator("dt").first(), "color"), sheet],
      ] as const) {
        expect(contrastOf(text, background).ratio, what).toBeGreaterThan(4.5);
      }
    },
  );
});

describe.runIf(hasChromium())("the page of a person who is not the operator", () => {
  const pages = usePages(() => startWebWithGateway({ isOperator: false }));
  const { openPage } = pages;

  it("shows their own sessions, and nothing of others: titles, excerpts, models, usage", async () => {
    const secret = await pages.web.begun("The secret garden", "Where is the north gate?");
    const page = await openPage();
    const answers: string[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/api/") && !response.url().includes("/events"))
        void response.text().then(
          (text) => answers.push(text),
          () => {},
        );
    });
    await write(page).fill("My own gate");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("An answer.").waitFor();
    await list(page)
      .getByRole("link", { name: /An answer/ })
      .last()
      .waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("gate");
    await list(page)
      .getByText(/^Found: \d titles?, 1 message\.$/)
      .waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("secret");
    await list(page)
      .getByText(/^Nothing has all of these words/)
      .waitFor();
    const refused = await page.evaluate(async (sessionId) => {
      const body = JSON.stringify({ id: "a-request-of-a-test", sessionId });
      const headers = { "content-type": "application/json" };
      return (await fetch("/api/sessions/open", { method: "POST", headers, body })).status;
    }, secret);
    expect(refused).toBe(410);
    // Asked for in so many words, Hermes says no as well.
    await write(page).fill(`/resume ${secret}`);
    await page.keyboard.press("Enter");
    await page
      .getByRole("log")
      .getByText(/There is no session/)
      .waitFor();
    await page.reload();
    await page.getByRole("log").getByText("An answer.").first().waitFor();
    expect(await list(page).innerText()).not.toContain("secret");
    expect(answers.length).toBeGreaterThan(5);
    expect(answers.join("\n")).not.toMatch(/secret garden|north gate/);
    await facts(page).click();
    const panel = page.getByRole("region", { name: "This session" });
    await expect.poll(() => panel.getByRole("option", { name: /^edits/ }).isDisabled()).toBe(true);
  });
});
