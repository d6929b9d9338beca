import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { expect, it } from "vitest";
import { HermesMachine } from "./support/hermes-process.ts";
import { wholeFilesIn } from "./support/markdown-page.ts";
import { lastRequest, MODEL_KEY, startModel } from "./support/model.ts";

const page = readFileSync(resolve(import.meta.dirname, "../docs/embedding.md"), "utf8");

it("the program of docs/embedding.md answers, hands off, and ends by itself", async () => {
  const [program] = wholeFilesIn(page);
  await using model = await startModel();
  await using telegram = await startTelegramEmulator();
  await using machine = new HermesMachine(
    {},
    {
      ...{ ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: MODEL_KEY },
      ...{ TELEGRAM_BOT_TOKEN: telegram.options.token, TELEGRAM_API_ROOT: telegram.url, TELEGRAM_HOME: CHATS.private },
    },
  );
  writeFileSync(join(machine.folder, "package.json"), '{ "type": "module" }');
  const script = join(machine.folder, program?.name ?? "");
  writeFileSync(script, program?.code ?? "");
  const running = machine.startIn(machine.folder, script);
  expect(await running.exited()).toBe(0);

  expect(running.stderr).toBe("");
  expect(running.stdout).toMatch(/^telegram is up\n/);
  expect(running.stdout).toContain("Answer to: Plan a trip to Rome.");
  expect(running.stdout).toMatch(/handoff: completed\n$/);
  const asked = model.requests.map(lastRequest);
  expect(asked.slice(0, 2)).toEqual(["Plan a trip to Rome.", "Shorter, please."]);
  const [thread] = telegram.threads(CHATS.private);
  const sent = telegram.messages(CHATS.private, thread?.id).map(({ text }) => text);
  expect(sent.join("\n")).toContain("Plan a trip to Rome.");
});
