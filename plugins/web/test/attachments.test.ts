import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { textFile } from "@hermes/core";
import { PDF_FILE, PNG_FILE } from "@hermes/testing";
import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { hasChromium } from "./chromium.ts";
import { HOME, usePages } from "./open-pages.ts";
import type { RunningWeb } from "./running-web.ts";

const CAT = { name: "cat.png", mimeType: "image/png", buffer: PNG_FILE };

describe.runIf(hasChromium())("a file on the page", () => {
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
    await page
      .getByRole("article", { name: "You" })
      .getByRole("button", { name: "Picture: cat.png. Open it" })
      .waitFor();
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

  it("a picture is seen before it is sent and after, and opened large by keyboard", async () => {
    const page = await openPage();
    await attach(page, CAT);
    const preview = page.getByRole("img", { name: "Picture: cat.png" });
    await preview.waitFor();
    await expect.poll(() => preview.evaluate((canvas) => (canvas as unknown as { width: number }).width)).toBe(1);
    await page.getByRole("button", { name: "Send" }).click();
    const picture = page.getByRole("button", { name: "Picture: cat.png. Open it" });
    const isDrawn = (image: Locator) =>
      image.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(() => isDrawn(picture.locator("img"))).toBe(1);
    await picture.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Picture: cat.png" });
    await expect.poll(() => isDrawn(dialog.getByRole("img", { name: "cat.png" }))).toBe(1);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(() => picture.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    await page.reload();
    await expect.poll(() => isDrawn(picture.locator("img"))).toBe(1);
  });

  it("a picture that is not kept any more says so", async () => {
    const page = await openPage();
    await attach(page, CAT);
    await page.getByRole("img", { name: "Picture: cat.png" }).waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Picture: cat.png. Open it" }).waitFor();
    rmSync(join(web.folder, "files"), { recursive: true });
    await page.reload();
    await page.getByText("cat.png cannot be shown: it is not kept here any more.").waitFor();
  });

  it("another file is saved under its name, byte for byte", async () => {
    const page = await openPage();
    await attach(page, { name: "größe 1.pdf", mimeType: "application/pdf", buffer: PDF_FILE });
    await files(page).getByText("größe 1.pdf").waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    const saving = page.waitForEvent("download");
    await page.getByRole("article", { name: "You" }).getByRole("link", { name: "größe 1.pdf 1 KB" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("größe 1.pdf");
    expect(readFileSync(await saved.path()).equals(PDF_FILE)).toBe(true);
  });

  it("a file that comes with a notice can be saved, and the list says that it came", async () => {
    const page = await openPage();
    const file = textFile("plan.md", "text/markdown", "# Plan\n");
    const content = Buffer.from(file.text ?? "");
    await pages.send(HOME, { kind: "notice", markdown: "The session so far:", files: [file] }, { content });
    const saving = page.waitForEvent("download");
    await page
      .getByRole("article", { name: "Notice" })
      .getByRole("link", { name: /^plan\.md/ })
      .click();
    expect(readFileSync(await (await saving).path(), "utf8")).toBe("# Plan\n");
    await page.getByRole("link", { name: /^Home.* A file$/ }).waitFor();
  });
});
