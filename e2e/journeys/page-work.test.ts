import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, launchChromium } from "../../plugins/web/test/chromium.ts";
import { begin, handOff } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

const WAIT = "bash wait.sh";

describe.runIf(hasChromium())("the page", () => {
  let model: ModelServer;
  beforeAll(async () => {
    model = await startModel();
  });
  afterAll(() => model.close());

  it("the page shows tools of a terminal's turn as they run, and after a reload", async () => {
    const permissions = { allow: [`shell(${WAIT})`, "write"] };
    await using machine = machineWith(model, { plugins: [["@hermes/plugin-web", { port: 0 }]], permissions });
    const go = join(machine.folder, "go");
    writeFileSync(
      join(machine.folder, "wait.sh"),
      `echo waits for it\nuntil [ -e "${go}" ]; do sleep 0.05; done\necho it has gone\n`,
    );
    const content = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join("");
    model.push({ call: [{ name: "write", input: { path: "notes.txt", content } }] }, "It is written.");
    const sessionId = await begin(machine, "Write the notes");
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

      // What was done before the handoff, in the terminal.
      const earlier = page.locator("details.earlier");
      await earlier.locator("> summary").click();
      await earlier.getByRole("article", { name: "You, in the terminal" }).getByText("Write the notes").waitFor();
      await earlier.getByText("1 tool call").click();
      await earlier.locator(".call").getByText("+line 0", { exact: true }).waitFor();
      await earlier.getByRole("button", { name: "Show 19 more lines" }).click();
      await earlier.locator(".call").getByText("+line 29", { exact: true }).waitFor();

      // What another process does now.
      model.push({ call: [{ name: "shell", input: { command: WAIT } }] }, "It has gone.");
      const turn = machine.start("chat", "-q", "Wait for it", "--session", sessionId);
      const work = page.locator(".log-inside > details.work");
      await work.getByText("1 tool call, shell is running").waitFor();
      await work.locator(".call.runs").getByText(WAIT).waitFor();
      await work.locator(".call.runs").getByText("waits for it", { exact: true }).waitFor();
      await page.reload();
      await work.locator(".call.runs").getByText("waits for it", { exact: true }).waitFor();
      expect(existsSync(go)).toBe(false);
      writeFileSync(go, "");
      await turn.exited();
      await work.locator(".call.done").getByText("it has gone").waitFor();
      await page.getByRole("log").getByText("It has gone.", { exact: true }).waitFor();

      await page.reload();
      await work.waitFor();
      expect(await work.locator("> summary").innerText()).toBe("1 tool call");
      expect(await work.evaluate((element) => element.nextElementSibling?.textContent)).toContain("It has gone.");
      await work.locator("> summary").click();
      await work.locator(".call.done").getByText("it has gone").waitFor();
    } finally {
      await chromium.close();
    }
  });
});
