import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium } from "../../plugins/web/test/chromium.ts";
import { begin, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

describe.runIf(hasChromium())("the sessions on the page", () => {
  let model: ModelServer;
  beforeAll(async () => {
    model = await startModel();
  });
  afterAll(() => model.close());

  it("the page finds and continues a terminal's session, and shows others nothing", async () => {
    await using machine = machineWith(model, {
      model: "openai/first",
      plugins: [["@hermes/plugin-web", { port: 0 }]],
    });
    const rome = await begin(machine, "Plan a trip to Rome by the northern route");
    await begin(machine, "Bake a cake");
    await machine.startGateway();
    const url = /http\S+/.exec((await machine.run("web", "open")).stdout)?.[0] ?? "";
    const chromium = await launchChromium();
    try {
      const context = await chromium.newContext();
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      await page.goto(url);
      const log = page.getByRole("log");
      const list = page.getByRole("navigation", { name: "Conversations" });
      await list.getByRole("button", { name: /cake/i }).first().waitFor();
      await page.keyboard.press("Control+k");
      await page.keyboard.type("northern");
      await list.locator("mark").first().waitFor();
      expect(await list.getByText(/cake/i).count()).toBe(0);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await log.getByText(/Last request: Plan a trip to Rome/).waitFor();
      const facts = page.getByRole("button", { name: /^This session:/ });
      await facts.getByText(/first/).waitFor();
      await facts.click();
      const panel = page.getByRole("region", { name: "This session" });
      await panel.getByText(/1 request: .* tokens sent/).waitFor();
      await panel.getByLabel("Change the model").fill("openai/journey");
      await page.keyboard.press("Enter");
      await log.getByText(/The next message goes to/).waitFor();
      await facts.getByText(/journey/).waitFor();
      await page.getByLabel("Message", { exact: true }).fill("How long does it take?");
      await page.keyboard.press("Enter");
      await log.getByText("Answer to: How long does it take?", { exact: true }).waitFor();
      expect(model.requests.at(-1)?.model).toBe("journey");
      await list.getByRole("searchbox").fill("");
      await list.getByRole("button", { name: /cake/i }).first().waitFor();

      // Somebody else is the operator from now on: what was open goes, and nothing can be asked for.
      expect((await machine.run("home", "operator", "web", "somebody-else", "--yes")).code).toBe(0);
      await list.getByText("You may see no sessions here.").waitFor();
      expect(await list.getByText(/cake/i).count()).toBe(0);
      await facts.waitFor({ state: "detached" });
      const asked = await page.evaluate(async (id) => {
        const read = async (path: string, init?: RequestInit) => {
          const response = await fetch(path, init);
          return [response.status, await response.text()] as const;
        };
        const headers = { "content-type": "application/json" };
        const body = JSON.stringify({ id: "a-request-of-a-test", sessionId: id });
        return Promise.all([
          read("/api/sessions"),
          read("/api/sessions/search?words=northern"),
          read(`/api/threads/${location.pathname.slice(3)}/session`),
          read("/api/sessions/open", { method: "POST", headers, body }),
        ]);
      }, rome);
      expect(asked.map(([status]) => status)).toEqual([403, 403, 403, 403]);
      expect(asked.map(([, text]) => text).join()).not.toMatch(/Rome|northern|journey|tokens/);
    } finally {
      await chromium.close();
    }
    expect(await said(machine, rome)).toEqual([
      "user: Plan a trip to Rome by the northern route",
      "assistant: Answer to: Plan a trip to Rome by the northern route",
      "user: How long does it take?",
      "assistant: Answer to: How long does it take?",
    ]);
  });
});
