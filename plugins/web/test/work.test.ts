import type { CallOutcome, EarlierMessage, ShownCall, ShownTurn } from "@hermes/core";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { hasChromium } from "./chromium.ts";
import { HOME, usePages } from "./open-pages.ts";
import type { RunningWeb } from "./running-web.ts";
import { contrastOf, styleOf } from "./styles.ts";

const ABOUT = { sessionId: "ses_1", turnId: "tur_1" };
const NARROW = { viewport: { width: 360, height: 640 }, hasTouch: true };

function call(id: string, more: Partial<ShownCall> = {}): ShownCall {
  const outcome = { kind: "text", lines: ["3 passed"], folded: 0 } as const;
  return { id, name: "shell", summary: "npm test", state: "done", beganAt: 1_000, endedAt: 13_000, outcome, ...more };
}

const DIFF: CallOutcome = { kind: "diff", lines: ["@@ -1,2 +1,2 @@", " kept", "-old <b>", "+new"], folded: 0 };

/** The page as it is built: `npm test` builds it first. */
describe.runIf(hasChromium())("the work of a session on the page", () => {
  const pages = usePages();
  const { openPage, openThread, send } = pages;
  let web: RunningWeb;
  beforeEach(() => {
    web = pages.web;
  });

  const work = (page: Page) => page.locator("details.work");
  const calls = (page: Page) => page.getByRole("list", { name: "Tool calls" }).getByRole("listitem");
  /** Lets the page see these turns, and counts how often it asks. */
  function see(...turns: readonly ShownTurn[]) {
    const asked: (readonly string[])[] = [];
    web.history = {
      calls: async (_, turnIds) => {
        asked.push(turnIds);
        return turns.filter(({ turnId }) => turnIds.includes(turnId));
      },
      outcome: async (_, turnId, callId) => {
        const found = turns.find((one) => one.turnId === turnId)?.calls.find(({ id }) => id === callId);
        return found?.outcome ? { ...found.outcome, folded: 0, lines: LINES } : null;
      },
      earlier: async () => null,
    };
    return asked;
  }
  const LINES = Array.from({ length: 40 }, (_, line) => `line ${line}`);
  /** Shows calls live, once the page is known to look. */
  async function showLive(page: Page, at: typeof HOME, turn: ShownTurn | null) {
    await expect.poll(() => web.adapter.watched().length).toBeGreaterThan(0);
    web.adapter.showCalls(at, turn);
    if (turn !== null) await work(page).waitFor();
  }

  it("calls stand folded in front of the answer that they led to, also after a reload", async () => {
    const asked = see({
      turnId: "tur_1",
      isOpen: false,
      calls: [call("1.1"), call("1.2", { name: "edit", summary: "a.ts +1 −1", outcome: DIFF })],
    });
    await send(HOME, "Before.");
    await send(HOME, { kind: "notice", markdown: "The work continues in the terminal." }, ABOUT);
    await send(HOME, "All is **green**.", ABOUT);
    const page = await openPage();
    for (const at of ["at first", "after a reload"]) {
      await work(page).waitFor();
      await expect.poll(() => work(page).locator("summary").innerText()).toBe("2 tool calls");
      await expect.poll(() => calls(page).count()).toBe(0);
      const order = await page.locator(".log-inside > :is(article, details)").allInnerTexts();
      expect(order.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
        expect.stringContaining("Before."),
        "The work continues in the terminal.",
        "2 tool calls",
        expect.stringContaining("All is green."),
      ]);
      if (at === "at first") await page.reload();
    }
    await work(page).locator("summary").click();
    const lines = (await calls(page).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
    expect(lines[0]).toMatch(/Done: shell npm test 12 s 3 passed/);
    expect(lines[1]).toMatch(/Done: edit a\.ts \+1 −1 12 s @@ -1,2 \+1,2 @@ kept -old <b> \+new/);
    const change = page.getByRole("region", { name: "Change of edit" });
    await expect.poll(() => change.locator(".added").innerText()).toBe("+new");
    expect((await change.locator(".removed").innerText()).trimEnd()).toBe("-old <b>");
    expect(asked.flat()).toContain("tur_1");
  });

  it("calls are shown as they run, and a screen reader is not interrupted by them", async () => {
    see();
    const page = await openPage();
    const now = web.clock.now();
    const running = call("1.1", { state: "runs", beganAt: now - 5_000, endedAt: null, outcome: null });
    await showLive(page, HOME, { turnId: "tur_1", isOpen: true, calls: [running, call("1.2", { state: "waits" })] });
    await expect.poll(() => calls(page).count()).toBe(1);
    await expect.poll(() => work(page).locator("summary").innerText()).toBe("1 tool call, shell is running");
    await expect.poll(() => work(page).getAttribute("aria-live")).toBe("off");
    await page.getByRole("status").getByText("Hermes is using tools…").waitFor();
    const failed = call("1.1", { state: "failed", outcome: { kind: "text", lines: ["Error: no"], folded: 0 } });
    await showLive(page, HOME, { turnId: "tur_1", isOpen: false, calls: [failed] });
    await calls(page).getByText("Failed:").waitFor({ state: "attached" });
    await expect.poll(() => page.getByText("Hermes is using tools…").count()).toBe(0);
    await send(HOME, "It failed.", ABOUT);
    const answer = page.getByRole("article", { name: "Hermes" });
    await answer.waitFor();
    // It comes to stand in front of its answer, and stays open as it was.
    await expect
      .poll(() => work(page).evaluate((element) => element.nextElementSibling?.textContent))
      .toContain("It failed.");
    await expect.poll(() => calls(page).count()).toBe(1);
    web.adapter.showCalls(HOME, null);
    await expect.poll(() => work(page).count()).toBe(0);
  });

  it("a running call's output is shown as it grows, also to a page that comes later", async () => {
    const now = web.clock.now();
    const running = (...lines: string[]): ShownTurn => {
      const outcome = { kind: "text", lines, folded: 0 } as const;
      return {
        turnId: "tur_1",
        isOpen: true,
        calls: [call("1.1", { state: "runs", beganAt: now, endedAt: null, outcome })],
      };
    };
    see();
    const page = await openPage();
    await showLive(page, HOME, running("1 of 3 passed"));
    const output = page.getByRole("region", { name: "Output of shell" });
    await output.getByText("1 of 3 passed").waitFor();
    // Whoever reads it with the keyboard stays in it, and no screen reader is told of each line.
    await output.focus();
    web.adapter.showCalls(HOME, running("1 of 3 passed", "2 of 3 <b>passed"));
    await output.getByText("2 of 3 <b>passed").waitFor();
    await expect.poll(() => output.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await expect.poll(() => output.evaluate((element) => element.closest("[aria-live]")?.ariaLive)).toBe("off");
    see(running("1 of 3 passed", "2 of 3 <b>passed", "3 of 3 passed"));
    await page.reload();
    await output.getByText("3 of 3 passed").waitFor();
    await expect.poll(() => work(page).locator("summary").innerText()).toBe("1 tool call, shell is running");
    see();
    await page.reload();
    await expect.poll(() => web.adapter.watched().length).toBe(1);
    await page.getByRole("log").waitFor();
    await expect.poll(() => work(page).count()).toBe(0);
  });

  it("the page shows a call made after a question below it", async () => {
    const page = await openPage();
    const at = (beganAt: number) => ({ beganAt, endedAt: beganAt });
    const [early, late] = [web.clock.now() - 1_000, web.clock.now() + 1_000];
    const turn = { turnId: "tur_1", isOpen: true, calls: [call("1.1", at(early)), call("2.1", at(late))] };
    see(turn);
    await send(HOME, { kind: "question", markdown: "May it?" }, ABOUT);
    await work(page).nth(1).waitFor();
    const order = await page
      .locator(".log-inside > :is(article, details)")
      .evaluateAll((all) => all.map(({ localName }) => localName));
    expect(order).toEqual(["details", "article", "details"]);
  });

  it("the whole of a long output is shown and folded by keyboard alone", async () => {
    see({
      turnId: "tur_1",
      isOpen: false,
      calls: [call("1.1", { outcome: { kind: "text", lines: LINES.slice(-3), folded: 37 } })],
    });
    await send(HOME, "Done.", ABOUT);
    const page = await openPage();
    await work(page).locator("summary").focus();
    await page.keyboard.press("Enter");
    const more = page.getByRole("button", { name: "Show 37 more lines" });
    const output = page.getByRole("region", { name: "Output of shell" });
    await more.waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => output.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await output.getByText("line 0").waitFor();
    const less = page.getByRole("button", { name: "Show less" });
    await expect.poll(() => less.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await more.waitFor();
    await expect.poll(() => output.getByText("line 0", { exact: false }).count()).toBe(0);
  });

  it("an output that may not be seen any more says so", async () => {
    see({
      turnId: "tur_1",
      isOpen: false,
      calls: [call("1.1", { outcome: { kind: "text", lines: ["x"], folded: 9 } })],
    });
    await send(HOME, "Done.", ABOUT);
    const page = await openPage();
    await work(page).locator("summary").click();
    web.history = { ...web.history, outcome: async () => null };
    await page.getByRole("button", { name: "Show 9 more lines" }).click();
    await page.getByRole("alert").getByText("This is not to be seen here any more.").waitFor();
  });

  it.each(["light", "dark"] as const)("calls fit a phone of 360 px, and can be read in the %s", async (colorScheme) => {
    const summary = `grep -rn ${"somewhere/".repeat(30)}`;
    see({ turnId: "tur_1", isOpen: false, calls: [call("1.1", { name: "edit", summary, outcome: DIFF })] });
    await send(HOME, "Done.", ABOUT);
    const page = await openPage("/", { ...NARROW, colorScheme, reducedMotion: "reduce" });
    await work(page).locator("summary").tap();
    await calls(page).first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect((await work(page).locator("summary").boundingBox())?.height).toBeGreaterThanOrEqual(44);
    const back = await styleOf(page.locator(".work .lines"), "background-color");
    for (const name of [".added", ".removed", ".hunk"]) {
      const { ratio } = contrastOf(await styleOf(page.locator(`.work ${name}`), "color"), back);
      expect(ratio, `${name} in ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it("the page loads earlier messages part by part, with their calls", async () => {
    const thread = await openThread("Fix the build");
    const said = (seq: number, more: Partial<EarlierMessage> = {}): EarlierMessage => ({
      ...{ seq, author: "agent", place: null, markdown: `said ${seq}`, saidAt: seq, turnId: "tur_0", calls: [] },
      ...more,
    });
    const asked: unknown[] = [];
    web.history = {
      calls: async () => [],
      outcome: async () => null,
      earlier: async (at, sessionId, before) => {
        asked.push([at.threadId, sessionId, before]);
        if (before === 100) return { before: 50, messages: [said(50, { calls: [call("1.1")] }), said(99)] };
        return { before: null, messages: [said(1, { author: "user", place: "in the terminal", markdown: "Why?" })] };
      },
    };
    await send(thread, { kind: "earlier", markdown: "**agent**\n\nthe end of it", until: 100 }, { sessionId: "ses_1" });
    const page = await openPage(`/t/${thread.threadId}`);
    const earlier = page.locator("details.earlier");
    await earlier.locator("summary").click();
    await earlier.getByText("said 99").waitFor();
    await expect.poll(() => earlier.getByText("the end of it").count()).toBe(0);
    await expect.poll(() => earlier.getByText("1 tool call").isVisible()).toBe(true);
    await earlier.getByRole("button", { name: "Show what was said before that" }).click();
    await earlier.getByRole("article", { name: "You, in the terminal" }).getByText("Why?").waitFor();
    await expect.poll(() => earlier.getByRole("button", { name: "Show what was said before that" }).count()).toBe(0);
    expect(asked).toEqual([
      [thread.threadId, "ses_1", 100],
      [thread.threadId, "ses_1", 50],
    ]);
  });

  it("where earlier parts cannot be read, what came along with the handoff is shown", async () => {
    await send(HOME, { kind: "earlier", markdown: "the end of it", until: 100 }, { sessionId: "ses_1" });
    const page = await openPage();
    await page.getByText("What was said before").click();
    await page.getByRole("log").getByText("the end of it").waitFor();
    await page.getByRole("alert").getByText("This is not to be seen here any more.").waitFor();
  });

  it("a long change that is asked about is folded above its buttons", async () => {
    const lines = ["@@ -1,40 +1,40 @@", ...LINES.map((line) => `+${line}`)];
    await send(HOME, { kind: "notice", markdown: `\`\`\`\n${lines.join("\n")}\n\`\`\`` });
    const page = await openPage();
    const notice = page.getByRole("article", { name: "Notice" });
    await notice.getByText("line 18").waitFor();
    await expect.poll(() => notice.locator(".added").count()).toBe(19);
    await notice.getByRole("button", { name: "Show all 41 lines" }).click();
    await expect.poll(() => notice.locator(".added").count()).toBe(40);
    await notice.getByRole("button", { name: "Show less" }).click();
    await expect.poll(() => notice.locator(".added").count()).toBe(19);
  });
});
