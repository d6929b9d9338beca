import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium } from "../../plugins/web/test/chromium.ts";
import { begin, said } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

describe.runIf(hasChromium())("the page", () => {
  let model: ModelServer;
  beforeAll(async () => {
    model = await startModel();
  });
  afterAll(() => model.close());

  it("the page offers a session of the terminal, and goes on with it by keyboard", async () => {
    await using machine = machineWith(model, { plugins: [["@hermes/plugin-web", { port: 0 }]] });
    const sessionId = await begin(machine, "Plan a trip to Rome");
    await machine.startGateway();
    const url = /http\S+/.exec((await machine.run("web", "open")).stdout)?.[0] ?? "";
    const chromium = await launchChromium();
    try {
      const page = await chromium.newPage();
      await page.goto(url);
      const log = page.getByRole("log");
      model.push("What do you mean?");
      await page.getByLabel("Message", { exact: true }).fill("How is it going?");
      await page.keyboard.press("Enter");
      const offer = page.getByRole("article", { name: "Question" });
      await offer.getByText("You used it in the terminal").waitFor();
      await log.getByText("What do you mean?", { exact: true }).waitFor();
      await offer.getByRole("button", { name: "Go on with it" }).focus();
      await page.keyboard.press("Enter");
      await offer.getByText("Yes: you are in it now.").waitFor();
      expect(await offer.getByRole("button", { name: /Go on|No/ }).count()).toBe(0);
      await log.getByText("Answer to: How is it going?", { exact: true }).waitFor();
    } finally {
      await chromium.close();
    }
    expect(await said(machine, sessionId)).toEqual([
      ...["user: Plan a trip to Rome", "assistant: Answer to: Plan a trip to Rome"],
      ...["user: How is it going?", "assistant: Answer to: How is it going?"],
    ]);
  });
});
