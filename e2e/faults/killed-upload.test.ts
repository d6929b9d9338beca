import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSessionKey } from "@hermes/core";
import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { PDF_FILE, PNG_FILE } from "@hermes/testing";
import { expect, it } from "vitest";
import { machineWith, startModel } from "../support/model.ts";

const FILES = { "report.pdf": PDF_FILE, "cat.png": PNG_FILE };

it("an agent's files arrive once, byte for byte, though an upload was killed", async () => {
  const work = mkdtempSync(join(tmpdir(), "hermes-upload-"));
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(work, name), content);
  const model = await startModel();
  const telegram = await startTelegramEmulator();
  telegram.world.hasTopicsInPrivate = false;
  const options = { ...telegram.options, homeChannel: CHATS.private };
  await using machine = machineWith(model, {
    plugins: [["@hermes/plugin-telegram", options]],
    tools: { directory: work },
  });
  const fromBot = () => telegram.messages(CHATS.private).filter(({ author }) => author === "bot");
  const arrived = () => fromBot().flatMap(({ files = [] }) => files);
  const first = await machine.startGateway();
  const call = Object.keys(FILES).map((path) => ({ name: "send_file", input: { path } }));
  model.push({ say: "I send them.", call }, { say: "Here they are." });
  telegram.fail({ operation: "sendDocument", kind: { is: "hang" } });
  await telegram.receive({ chatId: CHATS.private, text: "Send both" });
  const store = await machine.store();
  const key = buildSessionKey({ platform: "telegram", chatId: CHATS.private, kind: "dm" });
  const isUnderWay = async () => {
    const row = await store.outbox.head(key);
    return row?.state === "sending" && row.piece?.file?.name === "report.pdf";
  };
  await machine.until(isUnderWay, "the upload");
  first.kill("SIGKILL");
  await first.exited();
  expect(arrived()).toEqual([]);
  telegram.heal();

  await machine.startGateway();
  await machine.until(() => arrived().length === 1, "the picture");
  // Telegram cannot be asked whether it has the document: it is offered with the next answer.
  await telegram.receive({ chatId: CHATS.private, text: "And?" });
  await machine.until(() => arrived().length === 2, "the document");
  await machine.until(() => fromBot().at(-1)?.text === "Answer to: And?", "the next answer");
  const contents = Object.fromEntries(arrived().map(({ name, content }) => [name, Buffer.from(content)]));
  expect(contents).toEqual(FILES);
  expect(arrived()).toHaveLength(2);
  await telegram.close();
  await model.close();
  rmSync(work, { recursive: true, force: true });
});
