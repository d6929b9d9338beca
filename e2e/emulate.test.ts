import { writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium } from "../plugins/web/test/chromium.ts";
import { HermesMachine, type HermesProcess } from "./support/hermes-process.ts";

interface Printed {
  readonly url: string;
  readonly consoleUrl: string;
  readonly options: Record<string, unknown>;
  readonly chats: readonly { readonly id: string; readonly name: string; readonly kind: string }[];
}

/** An emulator in a process of its own, outside any project: from the plugin that is installed beside Hermes. */
async function emulate(
  machine: HermesMachine,
  platform = "telegram",
): Promise<{ readonly running: HermesProcess; readonly printed: Printed }> {
  const running = machine.start("emulate", platform, "--port", "0", "--json");
  await running.says(/\n\}\n$/);
  return { running, printed: JSON.parse(running.stdout) as Printed };
}

function configFor({ options }: Printed, homeChannel: string, platform: string): string {
  return JSON.stringify({ plugins: [[`@hermes/plugin-${platform}`, { ...options, homeChannel }]] });
}

describe("hermes emulate", () => {
  it.each(["telegram", "imessage"])(
    "%s serves a gateway of another process, and ends with Ctrl-C",
    async (platform) => {
      await using machine = new HermesMachine();
      const { running, printed } = await emulate(machine, platform);
      const chat = printed.chats.find(({ kind }) => kind === "dm");
      if (chat === undefined) throw new Error("there is no private chat");
      writeFileSync(machine.configPath, configFor(printed, chat.id, platform));
      const gateway = await machine.startGateway();

      const body = JSON.stringify({ chatId: chat.id, text: "/whoami" });
      const headers = { "content-type": "application/json" };
      expect((await fetch(`${printed.consoleUrl}receive`, { method: "POST", headers, body })).status).toBe(200);
      await machine.until(async () => {
        const response = await fetch(`${printed.consoleUrl}messages?chatId=${encodeURIComponent(chat.id)}`);
        const { messages } = (await response.json()) as { messages: { author: string }[] };
        return messages.some(({ author }) => author === "bot");
      }, "a reply in the emulated chat");

      const log = await (await fetch(`${printed.consoleUrl}log`)).text();
      for (const secret of Object.values(printed.options)) {
        if (typeof secret === "string" && !secret.startsWith("http")) expect(log).not.toContain(secret);
      }
      gateway.kill("SIGTERM");
      await gateway.exited();
      running.kill("SIGINT");
      expect(await running.exited()).toBe(0);
    },
  );
});

describe.runIf(hasChromium())("the console's page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  it("shows what is said as it comes, and lets a person write and press a button", async () => {
    await using machine = new HermesMachine();
    const { printed } = await emulate(machine);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));

    await page.goto(printed.url);
    const [first] = printed.chats;
    await page
      .getByRole("navigation")
      .getByText(first?.name ?? "", { exact: false })
      .first()
      .click();
    await page.getByLabel("Message", { exact: true }).fill("<img src=x onerror=alert(1)> & hello");
    await page.getByLabel("Message", { exact: true }).press("Enter");
    const messages = page.getByRole("list", { name: "Messages" });
    await messages.getByText("<img src=x onerror=alert(1)> & hello").waitFor();

    // Another one writes; the page shows it by itself.
    const body = JSON.stringify({ chatId: first?.id, text: "from elsewhere" });
    await fetch(`${printed.consoleUrl}receive`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    await messages.getByText("from elsewhere").waitFor();

    // The bot asks; a person presses a button, and the bot hears of it.
    const call = async (method: string, params: unknown) => {
      const { apiRoot, token } = printed.options;
      const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(params) };
      const response = await fetch(`${apiRoot}/bot${token}/${method}`, request);
      if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
      return response.json();
    };
    const keyboard = { inline_keyboard: [[{ text: "Yes, go on", callback_data: "q.yes" }]] };
    await call("sendMessage", { chat_id: first?.id, text: "Shall I?", reply_markup: keyboard });
    await messages.getByRole("button", { name: "Yes, go on" }).click();
    await expect
      .poll(async () => JSON.stringify(await call("getUpdates", { allowed_updates: ["callback_query"] })))
      .toContain('"data":"q.yes"');
    expect(await page.getByRole("status").textContent()).toBe("No client is connected.");
    expect(await page.locator("img").count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });
});
