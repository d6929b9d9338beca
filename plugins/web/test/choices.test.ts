import type { Choice } from "@hermes/core";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { hasChromium } from "./chromium.ts";
import { HOME, PHONE, usePages } from "./open-pages.ts";
import type { RunningWeb } from "./running-web.ts";
import { contrastOf, styleOf } from "./styles.ts";

const CHOICES: readonly Choice[] = [
  { id: "apr-c0ffee.once", label: "Allow once", style: "primary" },
  { id: "apr-c0ffee.session", label: "Allow in this session", style: "plain" },
  { id: "apr-c0ffee.no", label: "No", style: "danger" },
];
const QUESTION = { kind: "question", markdown: "Run this?\n\n```\necho **bold** `rm`\n```", choices: CHOICES } as const;

describe.runIf(hasChromium())("a question on the page", () => {
  const pages = usePages();
  const { openPage, openThread, send } = pages;
  let web: RunningWeb;
  beforeEach(() => {
    web = pages.web;
  });

  const buttons = (page: Page) => page.getByRole("group", { name: "Choices" }).getByRole("button");
  const button = (page: Page, name: string) => buttons(page).filter({ hasText: name });
  const focused = (page: Page) => page.evaluate("document.activeElement.textContent");

  async function edit(messageId: string, markdown: string, choices: readonly Choice[] = []): Promise<void> {
    const message = { kind: "question", markdown, ...(choices.length > 0 ? { choices } : {}) } as const;
    const [piece] = web.adapter.render(message);
    if (piece) await web.adapter.edit(HOME, messageId, piece);
  }

  it("a question shows its text and its buttons, and no id of a choice", async () => {
    await send(HOME, QUESTION);
    const page = await openPage();
    const question = page.getByRole("article", { name: "Question" });
    expect(await buttons(page).allInnerTexts()).toEqual(CHOICES.map(({ label }) => label));
    expect(await question.locator("pre").innerText()).toBe("echo **bold** `rm`");
    expect(await question.locator("pre strong, pre code code").count()).toBe(0);
    expect(await page.content()).not.toContain("c0ffee");
    expect(page.url()).toBe(`${web.baseUrl}/`);
  });

  it("a press is sent once, also by a double click, and the buttons rest until then", async () => {
    let keep = () => {};
    web.onChoose = () =>
      new Promise((resolve) => {
        keep = resolve;
      });
    const thread = await openThread("Fix the build");
    const messageId = await send(thread, QUESTION);
    const page = await openPage(`/t/${thread.threadId}`);
    await page.clock.install();
    const pressInVain = async () => {
      await page.clock.fastForward(1_000);
      for (const one of await buttons(page).all()) expect(await one.getAttribute("aria-disabled")).toBe("true");
      await button(page, "No").dispatchEvent("click");
    };
    await button(page, "Allow once").dblclick();
    await page.getByText("Sending…").waitFor();
    await pressInVain();
    keep();
    await page.getByText("Sent", { exact: true }).waitFor();
    await pressInVain();
    const press = { conversation: thread, messageId, choiceId: "apr-c0ffee.once", sender: { id: "owner" } };
    expect(web.pressed).toEqual([press]);
  });

  it("a double click does not press a button that the first click brought", async () => {
    const next: readonly Choice[] = [{ id: "apr-c0ffee.once", label: "Allow once", style: "primary" }];
    web.onChoose = ({ messageId }) => edit(messageId, "All of it.", next);
    await send(HOME, { ...QUESTION, choices: [{ id: "apr-c0ffee.show", label: "Show all", style: "plain" }] });
    const page = await openPage();
    await button(page, "Show all").click();
    await button(page, "Allow once").click();
    expect(web.pressed.map(({ choiceId }) => choiceId)).toEqual(["apr-c0ffee.show"]);
    await expect.poll(() => button(page, "Allow once").getAttribute("aria-disabled")).toBe("false");
  });

  it("a press that nothing came of can be made again after 5 seconds", async () => {
    await send(HOME, QUESTION);
    const page = await openPage();
    await page.clock.install();
    await button(page, "No").click();
    await page.getByText("Sent", { exact: true }).waitFor();
    await page.clock.fastForward(5_000);
    await page.getByText("Sent", { exact: true }).waitFor({ state: "detached" });
    await button(page, "No").click();
    await web.until(() => web.pressed.length === 2);
  });

  it("the page says why a press was not sent, and one can press again", async () => {
    web.onChoose = async () => {
      if (web.pressed.length === 1) throw new Error("the store is busy");
    };
    const messageId = await send(HOME, QUESTION);
    const page = await openPage();
    await page.route("**/press", (route) => route.abort());
    await button(page, "No").click();
    await page.getByText("Not sent. Hermes cannot be reached. Is the gateway running?").waitFor();
    await page.unroute("**/press");
    await page.clock.install();
    for (const said of ["Not sent. Hermes is busy. Try again in a moment.", "Sent"]) {
      await page.clock.fastForward(1_000);
      await button(page, "No").click();
      await page.getByText(said, { exact: true }).waitFor();
    }
    expect(web.pressed).toMatchObject([{ messageId }, { messageId, choiceId: "apr-c0ffee.no" }]);
  });

  it("an edit removes the buttons in all pages, and after a reload and a restart", async () => {
    const messageId = await send(HOME, QUESTION);
    const [one, another] = [await openPage(), await openPage()];
    const both = [one, another];
    for (const page of both) await button(page, "No").waitFor();
    await edit(messageId, "Run this? It waits.", CHOICES);
    for (const page of both) {
      await page.getByRole("log").getByText("Run this? It waits.").waitFor();
      expect(await buttons(page).count()).toBe(3);
    }
    await edit(messageId, "Run this? **Denied** by you.");
    for (const page of both) {
      await page.getByRole("log").getByText("Run this? Denied by you.").waitFor();
      expect(await buttons(page).count()).toBe(0);
    }
    await one.reload();
    await one.getByRole("log").getByText("Run this? Denied by you.").waitFor();
    expect(await buttons(one).count()).toBe(0);
    await edit(messageId, "Run this, then?", CHOICES);
    for (const page of both) await button(page, "No").waitFor();
    await web.restart();
    await edit(messageId, "Run this, then? Allowed.");
    for (const page of both) {
      await page.getByRole("log").getByText("Run this, then? Allowed.").waitFor();
      expect(await buttons(page).count()).toBe(0);
    }
  });

  it("a question can be answered by keyboard, and keeps the focus afterwards", async () => {
    await send(HOME, QUESTION);
    const page = await openPage();
    await button(page, "No").waitFor();
    for (let i = 0; i < 10 && (await focused(page)) !== "No"; i++) await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    expect(await focused(page)).toBe("Allow in this session");
    await page.keyboard.press("Enter");
    await page.getByText("Sent", { exact: true }).waitFor();
    expect(await focused(page)).toBe("Allow in this session");
    expect(web.pressed.map(({ choiceId }) => choiceId)).toEqual(["apr-c0ffee.session"]);
    await edit(web.pressed[0]?.messageId ?? "", "Allowed by you.");
    await page.getByRole("log").getByText("Allowed by you.").waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Question");
  });

  it("a question fits a phone, with thumb-sized buttons whose labels wrap", async () => {
    const label = "Yes, and publish every package to the registry ".repeat(4).slice(0, 200);
    const direction = "a\u202eb";
    const more = [label, "x".repeat(200), direction].map((text, at) => ({
      id: `q.${at}`,
      label: text,
      style: "plain",
    }));
    await send(HOME, { ...QUESTION, choices: [...CHOICES, ...(more as Choice[])] });
    const page = await openPage("/", PHONE);
    await button(page, "No").waitFor();
    for (const one of await buttons(page).all()) {
      const { x = 0, width = 0, height = 0 } = (await one.boundingBox()) ?? {};
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
      expect(x + width).toBeLessThanOrEqual(390);
      expect(await one.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
    }
    expect(await page.locator(".log").evaluate((log) => log.scrollWidth - log.clientWidth)).toBe(0);
    expect(await buttons(page).last().innerText()).toBe("aU+202Eb");
    await page.route("**/press", (route) => route.abort());
    await button(page, "Allow once").tap();
    await page.getByText("Not sent. Hermes cannot be reached. Is the gateway running?").waitFor();
    await expect
      .poll(() => page.locator(".log").evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight))
      .toBeLessThan(2);
  });

  it("its buttons can be told apart and read, in light and dark colours", async () => {
    await send(HOME, QUESTION);
    const page = await openPage("/", { reducedMotion: "reduce" });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const colours = await Promise.all(
        CHOICES.map(async ({ label }) => {
          const one = button(page, label);
          const [text, back] = [await styleOf(one, "color"), await styleOf(one, "background-color")];
          expect(contrastOf(text, back).ratio, label).toBeGreaterThan(4.5);
          return `${text} ${back}`;
        }),
      );
      expect(new Set(colours).size).toBe(3);
    }
  });
});
