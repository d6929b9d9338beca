import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelServer, PDF_FILE, PNG_FILE } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium } from "../../plugins/web/test/chromium.ts";
import { begin, handOff } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

describe.runIf(hasChromium())("files of the agent on the page", () => {
  let model: ModelServer;
  beforeAll(async () => {
    model = await startModel();
  });
  afterAll(() => model.close());

  it("a picture that the agent sends is seen, and other files are saved byte for byte", async () => {
    await using machine = machineWith(model, { plugins: [["@hermes/plugin-web", { port: 0 }]] });
    // Every byte there is, so that none may be taken for text on the way.
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256));
    writeFileSync(join(machine.folder, "plot.png"), PNG_FILE);
    writeFileSync(join(machine.folder, "report.pdf"), PDF_FILE);
    writeFileSync(join(machine.folder, "größe.bin"), bytes);
    const sessionId = await begin(machine, "Make a report");
    await machine.startGateway();
    const { threadId } = await handOff(machine, sessionId);
    const link = new URL(/http\S+/.exec((await machine.run("web", "open")).stdout)?.[0] ?? "");
    const chromium = await launchChromium();
    try {
      const page = await chromium.newPage();
      page.setDefaultTimeout(60_000);
      await page.goto(link.href);
      await page.getByRole("log").waitFor();
      await page.goto(`${link.origin}/t/${threadId}`);
      const send = (path: string, caption?: string) => ({ name: "send_file", input: { path, caption } });
      model.push({ call: [send("plot.png", "The plot"), send("report.pdf"), send("größe.bin")] }, "Here they are.");
      await page.getByLabel("Message", { exact: true }).fill("Send me what you have");
      await page.keyboard.press("Enter");

      const log = page.getByRole("log");
      await log.getByText("Here they are.", { exact: true }).waitFor();
      const picture = log.getByRole("button", { name: "Picture: plot.png. Open it" });
      for (const at of ["at first", "after a reload"]) {
        await picture.waitFor();
        const widthOf = () =>
          picture.locator("img").evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth);
        await expect.poll(widthOf).toBe(1);
        await log.getByText("The plot").waitFor();
        for (const [name, content] of [
          ["report.pdf", PDF_FILE],
          ["größe.bin", bytes],
        ] as const) {
          const saving = page.waitForEvent("download");
          await log.getByRole("link", { name }).click();
          const saved = await saving;
          expect(saved.suggestedFilename()).toBe(name);
          expect(readFileSync(await saved.path()).equals(content), `${name} ${at}`).toBe(true);
        }
        if (at === "at first") await page.reload();
      }
      await picture.click();
      const saving = page.waitForEvent("download");
      await page.getByRole("dialog", { name: "Picture: plot.png" }).getByRole("link", { name: "Save" }).click();
      expect(readFileSync(await (await saving).path()).equals(PNG_FILE)).toBe(true);
    } finally {
      await chromium.close();
    }
  });
});
