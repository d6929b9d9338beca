import { PNG_FILE } from "@hermes/testing";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { hasChromium } from "./chromium.ts";
import { usePages } from "./open-pages.ts";
import type { RunningWeb } from "./running-web.ts";

const CAT = { name: "cat.png", mimeType: "image/png", buffer: PNG_FILE };

describe.runIf(hasChromium())("a file on the page", { timeout: 30_000 }, () => {
  const pages = usePages();
  const { openPage } = pages;
  let web: RunningWeb;
  beforeEach(() => {
    web = pages.web;
  });

  const attach = (page: Page, file: typeof CAT) => page.getByLabel("Attach a file").setInputFiles(file);
  const files = (page: Page) => page.getByRole("list", { name: "Files" });

  it("a file that is attached can be removed, and is sent with the message", async () => {
    const page = await openPage();
    await attach(page, CAT);
    await files(page).getByText("cat.png").waitFor();
    await page.getByRole("button", { name: "Remove cat.png" }).click();
    expect(await files(page).count()).toBe(0);
    await attach(page, CAT);
    await files(page).getByText("cat.png").waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Delivered").waitFor();
    expect(await page.getByRole("article", { name: "You" }).getByText("cat.png").count()).toBe(1);
    expect(web.received[0]?.attachments).toMatchObject([{ name: "cat.png", mediaType: "image/png" }]);
    // Nothing is attached to the next one.
    expect(await page.getByRole("button", { name: "Remove cat.png" }).count()).toBe(0);
  });

  it("a file that is not taken is refused with the reason, and what is written stays", async () => {
    const page = await openPage();
    await page.getByLabel("Message", { exact: true }).fill("See this");
    await attach(page, { name: "film.mov", mimeType: "video/quicktime", buffer: Buffer.from([0, 1, 2]) });
    await page.getByText("film.mov: Only pictures (PNG, JPEG, GIF, WebP), PDFs and texts are taken here.").waitFor();
    expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("See this");
  });
});
