import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { openWebFile } from "../src/storage/web-file.ts";
import { hasChromium } from "./chromium.ts";
import { HOME, PHONE, usePages } from "./open-pages.ts";
import type { RunningWeb } from "./running-web.ts";
import { contrastOf, styleOf } from "./styles.ts";

/** The page as it is built: `npm test` builds it first. */
describe.runIf(hasChromium())("the page", () => {
  const pages = usePages();
  const { newPage, openPage, openThread, send } = pages;
  let web: RunningWeb;
  beforeEach(() => {
    web = pages.web;
  });

  const write = (page: Page) => page.getByLabel("Message", { exact: true });
  /** What a screen reader says behind the field's name. */
  const describedBy = (field: Locator) =>
    field.evaluate((element) => {
      const { ownerDocument } = element as unknown as {
        ownerDocument: { getElementById(id: string): { innerText: string } };
      };
      return ownerDocument.getElementById(String(element.getAttribute("aria-describedby"))).innerText;
    });

  describe("letting a browser in", () => {
    it("opens with a link from the terminal, and the code does not stay in the address", async () => {
      const page = await openPage("/");
      await expect.poll(() => page.url()).toBe(`${web.baseUrl}/`);
      expect(await page.title()).toBe("Home · Hermes");
      await page.reload();
      await page.getByRole("log").waitFor();
    });

    it("the page says how to get a link, and that an old one does not work", async () => {
      const page = await newPage();
      await page.goto(web.baseUrl);
      await page.getByText("hermes web open").waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await page.goto(`${web.baseUrl}/#code=used-before`);
      expect(await page.getByRole("alert").textContent()).toContain("was used or is too old; run `hermes web open`");
      // The next link is opened in the same tab.
      await page.goto(await web.link("/"));
      await page.getByRole("log").waitFor();
    });

    it("goes back to that page when the browser was signed out", async () => {
      const page = await openPage();
      using file = openWebFile(web.folder, { now: web.clock.now() });
      file.signIns.forgetAll();
      await page.reload();
      await page.getByRole("heading", { name: "Open Hermes with a link" }).waitFor();
    });
  });

  it("the server hears last which thread is shown last, however slow the line is", async () => {
    const thread = await openThread("Fix the build");
    const page = await newPage();
    const late = Promise.withResolvers<void>();
    await page.route("**/api/viewing", async (route) => {
      const { threadId } = route.request().postDataJSON() as { threadId: string | null };
      if (threadId === null) await Promise.race([late.promise, new Promise((resolve) => setTimeout(resolve, 1_000))]);
      await route.continue();
    });
    await page.goto(await web.link("/"));
    await page.getByRole("log").waitFor();
    await page.getByRole("link", { name: /Fix the build/ }).click();
    await page.getByRole("heading", { level: 1, name: "Fix the build" }).waitFor();
    await expect.poll(() => web.adapter.watched()).toEqual([thread]);
    late.resolve();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(web.adapter.watched()).toEqual([thread]);
  });

  it("shows 300 paragraphs that name 100 addresses without standing still", async () => {
    const page = await openPage();
    await page.evaluate(() => {
      const times = window as unknown as { longestTaskMs: number };
      times.longestTaskMs = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) times.longestTaskMs = Math.max(times.longestTaskMs, duration);
      }).observe({ type: "longtask" });
    });
    const lines = (count: number, line: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => line(at)).join("");
    const text = lines(300, (at) => `A paragraph with [name ${at}][r${at % 100}].\n\n`);
    await send(HOME, text + lines(100, (at) => `[r${at}]: https://example.org/${at}\n`));
    expect(await page.getByRole("link", { name: "name 299" }).getAttribute("href")).toBe("https://example.org/99");
    // Far more than it takes, on a machine that does other things as well.
    expect(await page.evaluate(() => (window as unknown as { longestTaskMs: number }).longestTaskMs)).toBeLessThan(
      1_500,
    );
  });

  it("a thread holds what was said before its handoff, folded until it is opened", async () => {
    const thread = await openThread("Fix the build");
    const earlier = "**you**\n\nWhy does it fail?\n\n**agent**\n\nA *missing* file.";
    await send(thread, { kind: "earlier", markdown: earlier });
    await send(thread, { kind: "notice", markdown: "This session was in the terminal; it goes on here." });
    const page = await openPage(`/t/${thread.threadId}`);
    await page.getByRole("article", { name: "Notice" }).waitFor();
    expect(await page.getByText("Why does it fail?").isVisible()).toBe(false);
    await page.getByText("What was said before").click();
    await page.getByText("Why does it fail?").waitFor({ state: "visible" });
    expect(await page.getByText("missing", { exact: true }).isVisible()).toBe(true);
  });

  describe("on a phone", () => {
    it("goes from the link to the thread, and a message to an answer that grows", async () => {
      const thread = await openThread("Fix the build");
      await send(thread, { kind: "card", markdown: "24 messages came along" });
      web.onReceive = async (message) => {
        await web.adapter.typing(message.conversation);
      };
      const page = await openPage(`/t/${thread.threadId}`, PHONE);
      await page.getByRole("article", { name: "Where the session stands" }).waitFor();
      await write(page).tap();
      await write(page).fill("How does it look?");
      await page.getByRole("button", { name: "Send" }).tap();
      await page.getByText("Delivered").waitFor();
      await page.getByText("Hermes is writing…").waitFor();
      expect(web.received).toMatchObject([{ text: "How does it look?", conversation: thread }]);
      const answer = page.getByRole("article", { name: "Hermes" });
      const messageId = await send(thread, "It looks");
      await answer.getByText("It looks").waitFor();
      expect(await answer.getAttribute("aria-busy")).toBe("true");
      for (const text of ["It looks good", "It looks good: all **green**."]) {
        await web.adapter.edit(thread, messageId, { text, extra: { kind: "answer" } });
      }
      await answer.getByText("It looks good: all green.").waitFor();
      await expect.poll(() => answer.getAttribute("aria-busy")).toBe("false");
    });

    it("on a phone, the list and the thread are two screens, with a way back", async () => {
      const thread = await openThread("Fix the build");
      await send(thread, "Here I am.");
      const page = await openPage("/", PHONE);
      await page.getByRole("link", { name: "All conversations" }).tap();
      expect(await page.getByRole("log").count()).toBe(0);
      await page.getByRole("link", { name: /Fix the build.*Here I am\..*1 unread/ }).tap();
      await page.getByRole("log").getByText("Here I am.").waitFor();
      expect(await page.getByRole("navigation").count()).toBe(0);
      await page.goBack();
      await page.getByRole("navigation", { name: "Conversations" }).waitFor();
    });

    it("the page has thumb-sized targets, text without zoom, and fits the screen", async () => {
      const thread = await openThread("A".repeat(100));
      await send(
        thread,
        `${"x".repeat(300)}\n\n| a | b |\n|---|---|\n| ${"y".repeat(200)} | z |\n\n\`\`\`\n${"z".repeat(300)}\n\`\`\``,
      );
      const page = await openPage(`/t/${thread.threadId}`, PHONE);
      await page.getByRole("button", { name: "Copy code" }).waitFor();
      for (const target of [page.getByRole("button"), page.getByRole("link", { name: "All conversations" })]) {
        for (const one of await target.all()) {
          const box = await one.boundingBox();
          expect(
            Math.min(box?.height ?? 0, box?.width ?? 0),
            `${await one.getAttribute("aria-label")}`,
          ).toBeGreaterThanOrEqual(44);
        }
      }
      expect(await styleOf(write(page), "font-size")).toBe("16px");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      expect(await page.locator(".log").evaluate((log) => log.scrollWidth - log.clientWidth)).toBe(0);
    });
  });

  describe("writing", () => {
    it("Enter sends, Shift+Enter breaks the line, and drafts survive a reload", async () => {
      const page = await openPage();
      await write(page).pressSequentially("one");
      await write(page).press("Shift+Enter");
      await write(page).pressSequentially("two");
      await page.reload();
      expect(await write(page).inputValue()).toBe("one\ntwo");
      await write(page).press("Enter");
      await page.getByText("Delivered").waitFor();
      expect(web.received.map(({ text }) => text)).toEqual(["one\ntwo"]);
      expect(await write(page).inputValue()).toBe("");
    });

    it("completes commands by keyboard, and sends them as they are", async () => {
      const page = await openPage();
      await write(page).pressSequentially("/s");
      expect(await page.getByRole("option").allInnerTexts()).toMatchObject(
        [/sessions/, /status/, /stop/].map((name) => expect.stringMatching(name)),
      );
      await write(page).press("ArrowDown");
      await write(page).press("Enter");
      expect(await write(page).inputValue()).toBe("/status ");
      await write(page).press("Enter");
      await page.getByText("Delivered").waitFor();
      expect(web.received.map(({ text }) => text)).toEqual(["/status"]);
      await write(page).pressSequentially("/");
      await page.getByRole("listbox").waitFor();
      await write(page).press("Escape");
      await page.getByRole("listbox").waitFor({ state: "hidden" });
    });

    it("shows a message at once, and sends it once when Hermes is back", async () => {
      const page = await openPage();
      await page.getByText("Connected").waitFor();
      await web.adapter.stop();
      await write(page).fill("Are you there?");
      await write(page).press("Enter");
      await page.getByText("Waiting for a connection; it is sent by itself").waitFor();
      await web.restart();
      await page.getByText("Delivered").waitFor();
      expect(web.received.map(({ text }) => text)).toEqual(["Are you there?"]);
      expect(await page.getByRole("log").getByText("Are you there?").count()).toBe(1);
    });

    it("sends what was not sent when the page was closed", async () => {
      const page = await openPage();
      await web.adapter.stop();
      await write(page).fill("Are you there?");
      await write(page).press("Enter");
      await page.getByText("Waiting for a connection; it is sent by itself").waitFor();
      await page.close();
      await web.restart();
      const again = await page.context().newPage();
      await again.goto(web.baseUrl);
      await again.getByText("Delivered").waitFor();
      expect(web.received.map(({ text }) => text)).toEqual(["Are you there?"]);
    });

    it("goes on by itself when the gateway restarts, and shows what came meanwhile, once", async () => {
      const page = await openPage();
      await send(HOME, "before");
      await page.getByRole("log").getByText("before").waitFor();
      await web.restart();
      await send(HOME, "meanwhile");
      await page.getByRole("log").getByText("meanwhile").waitFor();
      await page.getByText("Connected").waitFor();
      expect(await page.getByRole("article").count()).toBe(2);
    });

    it("a reply shows what it replies to, and tells Hermes", async () => {
      const page = await openPage();
      await send(HOME, "The blue one or the red one?");
      await page.getByRole("article", { name: "Hermes" }).getByRole("button", { name: "Reply" }).click();
      await page.getByRole("button", { name: "Do not reply to it" }).waitFor();
      await write(page).fill("The red one.");
      await write(page).press("Enter");
      await page.getByText("Delivered").waitFor();
      const own = page.getByRole("article", { name: "You" });
      expect(await own.getByRole("blockquote").innerText()).toBe("Hermes The blue one or the red one?");
      expect(await page.getByRole("button", { name: "Do not reply to it" }).count()).toBe(0);
      expect(web.received.at(-1)?.refersTo).toMatchObject({ text: "The blue one or the red one?", isOwn: true });
    });

    it("the page says why a message cannot be sent, with retry and discard", async () => {
      const thread = await openThread("Short-lived");
      const page = await openPage(`/t/${thread.threadId}`);
      await page.route("**/api/threads/*/messages", (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status: 413, json: { error: { code: "TOO_LARGE", text: "This message is too long." } } })
          : route.fallback(),
      );
      await write(page).fill("long");
      await write(page).press("Enter");
      await page.getByText("Not sent. This message is too long.").waitFor();
      await page.unroute("**/api/threads/*/messages");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("Delivered").waitFor();
    });
  });

  describe("following", () => {
    it("marks what is unread, on the entry and in the title, until it is looked at", async () => {
      const thread = await openThread("Fix the build");
      const page = await openPage();
      await send(thread, "Done.");
      const entry = page.getByRole("link", { name: /Fix the build/ });
      await entry.getByText("1 unread").waitFor();
      await expect.poll(() => page.title()).toBe("(1) Home · Hermes");
      await entry.click();
      await expect.poll(() => page.title()).toBe("Fix the build · Hermes");
      await page.reload();
      await page.getByRole("log").getByText("Done.").waitFor();
      expect(await page.getByText("unread").count()).toBe(0);
    });

    it("shows echoes with their place, and says so when a thread is removed", async () => {
      const thread = await openThread("Fix the build");
      await send(thread, { kind: "echo", markdown: "git status", author: "user", place: "in the terminal" });
      await send(thread, { kind: "notice", markdown: "Moved to the terminal." });
      const page = await openPage(`/t/${thread.threadId}`);
      await page.getByRole("article", { name: "You, in the terminal" }).getByText("git status").waitFor();
      await page.getByRole("article", { name: "Notice" }).waitFor();
      await web.adapter.deleteThread({ conversation: thread });
      await page.getByRole("heading", { name: "This thread is gone" }).waitFor();
      await page.getByRole("link", { name: "Go to the home channel" }).click();
      await page.getByRole("heading", { name: "Your home channel" }).waitFor();
    });

    it("keeps the end in sight, but leaves who reads further up where they are", async () => {
      for (let i = 0; i < 80; i++) await send(HOME, `Line ${i}`);
      const page = await openPage();
      const log = page.getByRole("log");
      const fromEnd = () => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
      await log.getByText("Line 79").waitFor();
      await expect.poll(fromEnd).toBeLessThan(2);
      await send(HOME, "Line 80");
      await log.getByText("Line 80").waitFor();
      await expect.poll(fromEnd).toBeLessThan(2);
      await log.evaluate((element) => element.scrollTo(0, 100));
      await page.getByRole("button", { name: "To the end" }).waitFor();
      await send(HOME, "Line 81");
      await page.getByRole("button", { name: "New messages" }).waitFor();
      expect(await log.evaluate((element) => element.scrollTop)).toBe(100);
      const first = log.getByText("Line 31", { exact: true });
      const place = async () => Math.round((await first.boundingBox())?.y ?? 0);
      const before = await place();
      await page
        .getByRole("button", { name: "Show earlier messages" })
        .evaluate((button) => (button as HTMLElement).click());
      await log.getByText("Line 0", { exact: true }).waitFor({ state: "attached" });
      expect(await page.getByRole("article").count()).toBe(82);
      expect(Math.abs((await place()) - before)).toBeLessThan(60);
      await write(page).fill("mine");
      await write(page).press("Enter");
      await log.getByText("mine").waitFor();
      await expect.poll(fromEnd).toBeLessThan(2);
    });
  });

  it("the page shows a terminal's answer as it grows, then its messages in its place", async () => {
    const thread = await openThread("Fix the build");
    const page = await openPage(`/t/${thread.threadId}`);
    await expect.poll(() => web.adapter.watched()).toEqual([thread]);
    const said = { place: "in the terminal", asked: "How far are you?", text: "" };
    web.adapter.showGrowing(thread, said);
    const answer = page.getByRole("article", { name: "Hermes, in the terminal" });
    await answer.getByText("…").waitFor();
    web.adapter.showGrowing(thread, { ...said, text: "Nearly **do" });
    await answer.getByText("Nearly").waitFor();
    await page.getByText("How far are you?").waitFor();
    await send(thread, { kind: "echo", markdown: said.asked, author: "user", place: said.place });
    await send(thread, { kind: "echo", markdown: "Nearly **done**.", author: "agent", place: said.place });
    web.adapter.showGrowing(thread, null);
    await answer.getByText("Nearly done.").waitFor();
    await expect.poll(() => answer.count()).toBe(1);
    expect(await page.getByText("How far are you?").count()).toBe(1);
    await page.goto(`${web.baseUrl}/`);
    await expect.poll(() => web.adapter.watched()).not.toContainEqual(thread);
  });

  it("the page names who else reads a session above the field, before one writes", async () => {
    const thread = await openThread("Fix the build");
    const page = await openPage(`/t/${thread.threadId}`);
    await expect.poll(() => web.adapter.watched()).toEqual([thread]);
    const field = write(page);
    expect(await describedBy(field)).toBe("");
    web.adapter.showReaders(thread, ["B<b>o</b>b\u202e and others in #general on slack can read this session."]);
    const said = page.getByRole("status").getByText("in #general on slack can read this session.");
    await said.waitFor();
    expect(await describedBy(field)).toBe("B<b>o</b>bU+202E and others in #general on slack can read this session.");
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    await page.reload();
    await said.waitFor();
    web.adapter.showReaders(thread, []);
    await said.waitFor({ state: "detached" });
  });

  describe("what the agent writes", () => {
    it("can do nothing: no script, no dangerous link, nothing loaded from elsewhere", async () => {
      const page = await openPage();
      await send(
        HOME,
        [
          "<script>window.hacked = 1</script>",
          '<img src="https://evil.example/x.png" onerror="window.hacked = 2">',
          "![tracker](https://evil.example/y.png)",
          "[a](javascript:window.hacked=3) [b](data:text/html,x) [c](/api/chats) [d](vbscript:x) <javascript:alert(1)>",
          "[e](https://ok.example/path) [f](mailto:a@ok.example) [g]",
          "`a\u202eb`",
          "\n[g]: javascript:alert(1)",
        ].join("\n\n"),
      );
      const log = page.getByRole("log");
      await log.getByText("<script>window.hacked = 1</script>").waitFor();
      const hrefs = await log.getByRole("link").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      expect(hrefs).toEqual(["https://evil.example/y.png", "https://ok.example/path", "mailto:a@ok.example"]);
      const rels = await log
        .getByRole("link")
        .evaluateAll((links) => links.map((link) => `${link.getAttribute("rel")} ${link.getAttribute("target")}`));
      expect(new Set(rels)).toEqual(new Set(["noopener noreferrer _blank"]));
      expect(await log.locator("img, script, iframe, style").count()).toBe(0);
      await log.getByText("U+202E").waitFor();
      expect(await page.evaluate("window.hacked")).toBeUndefined();
    });

    it("cannot stop the page, however long or deeply nested it is", async () => {
      const page = await openPage();
      const hostile = [
        "**a_".repeat(16_000),
        ">".repeat(60_000),
        "- ".repeat(30_000),
        "[a](".repeat(16_000),
        "a".repeat(65_000),
      ];
      for (const text of hostile) await send(HOME, text);
      await send(HOME, "Still here.");
      await page.getByRole("log").getByText("Still here.").waitFor();
      expect(await page.getByRole("article").count()).toBe(hostile.length + 1);
    });

    it("runs in the direction of its own words", async () => {
      await send(HOME, "שלום, world.\n\n- אחת\n- שתיים\n\nEnglish again, with a note[^1].\n\n[^1]: The note.");
      const page = await openPage();
      const log = page.getByRole("log");
      const right = async (text: string) => {
        const box = await log.getByText(text).evaluate((element) => {
          const range = element.ownerDocument.createRange();
          range.selectNodeContents(element);
          const markdown = element.closest(".markdown") ?? element;
          const [words, whole] = [range.getBoundingClientRect(), markdown.getBoundingClientRect()];
          return { start: words.left - whole.left, end: whole.right - words.right };
        });
        return box.start > box.end;
      };
      expect([await right("שלום"), await right("אחת"), await right("English again")]).toEqual([true, true, false]);
      expect(await styleOf(log.getByRole("list"), "direction")).toBe("rtl");
      expect(await log.locator("sup").allTextContents()).toEqual(["1", "1"]);
    });

    it("answers show headings, lists, scrolling tables and code to copy", async () => {
      await send(
        HOME,
        "# Title\n\n1. one\n2. two\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n\n[ref]\n\n[ref]: https://ok.example/",
      );
      const page = await openPage("/", { permissions: ["clipboard-read", "clipboard-write"] });
      const log = page.getByRole("log");
      await log.getByRole("heading", { name: "Title", level: 3 }).waitFor();
      expect(await log.getByRole("listitem").count()).toBe(3);
      expect(await log.getByRole("checkbox", { name: "done" }).isChecked()).toBe(true);
      await log.getByRole("region", { name: "Table" }).getByRole("cell", { name: "2" }).waitFor();
      expect(await log.getByRole("link", { name: "ref" }).getAttribute("href")).toBe("https://ok.example/");
      await log.getByRole("button", { name: "Copy code" }).click();
      await log.getByText("Copied").waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe("const a = 1;");
    });
  });

  describe("for everybody", () => {
    it("can be used by keyboard alone", async () => {
      await openThread("Second");
      const page = await openPage();
      const focused = () => page.evaluate("document.activeElement.textContent");
      const press = (...keys: string[]) =>
        keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
      // One writes at once; the rest is before that.
      expect(await write(page).evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
      for (let i = 0; i < 10 && (await focused()) !== "Skip to writing a message"; i++) await press("Shift+Tab");
      await press("Enter", "h", "i");
      expect(await write(page).inputValue()).toBe("hi");
      for (let i = 0; i < 10 && (await focused()) !== "Skip to writing a message"; i++) await press("Shift+Tab");
      await press("Tab", "ArrowDown", "Enter");
      await page.getByRole("heading", { name: "Second", level: 1 }).waitFor();
      expect(await page.getByRole("link", { name: /Second/ }).getAttribute("aria-current")).toBe("page");
    });

    it("the page has landmarks, one main heading and named controls", async () => {
      const page = await openPage();
      await page.getByRole("main").waitFor();
      await page.getByRole("navigation", { name: "Conversations" }).waitFor();
      expect(await page.getByRole("heading", { level: 1 }).allInnerTexts()).toEqual(["Home"]);
      expect(await page.getByRole("log", { name: "Messages in Home" }).getAttribute("aria-live")).toBe("polite");
      for (const role of ["button", "link", "textbox"] as const) {
        const nameless = page.getByRole(role, { name: /^$/ });
        expect(await nameless.count(), role).toBe(0);
      }
    });

    it.each(["light", "dark"] as const)("can be read in %s colours", async (colorScheme) => {
      await send(HOME, { kind: "notice", markdown: "A notice." });
      const page = await openPage("/", { colorScheme, reducedMotion: "reduce" });
      const notice = page.getByRole("article", { name: "Notice" });
      const contrast = contrastOf(
        await styleOf(notice.getByText("A notice."), "color"),
        await styleOf(notice, "background-color"),
      );
      expect(contrast.isTextLighter).toBe(colorScheme === "dark");
      expect(contrast.ratio).toBeGreaterThan(4.5);
    });
  });
});
