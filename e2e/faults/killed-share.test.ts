import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { PDF_FILE } from "@hermes/testing";
import { expect, it } from "vitest";
import { machineWith, startModel } from "../support/model.ts";

const DM = "D0ADA";

it.each([
  ["at once", 0],
  ["5 s later", 5_000],
])("Slack shows a file %s: it is shared once, though the gateway was killed", async (_, sharesAfterMs) => {
  const work = mkdtempSync(join(tmpdir(), "hermes-share-"));
  writeFileSync(join(work, "report.pdf"), PDF_FILE);
  const model = await startModel();
  const slack = await startSlackEmulator();
  slack.workspace.sharesAfterMs = sharesAfterMs;
  const options = { ...slack.options, homeChannel: DM };
  await using machine = machineWith(model, {
    plugins: [["@hermes/plugin-slack", options]],
    tools: { directory: work },
  });
  const fromBot = () => slack.messages(DM).filter(({ author }) => author === "bot");
  const shared = () => fromBot().flatMap(({ files = [] }) => files);
  const first = await machine.startGateway();
  model.push(
    { say: "I send it.", call: [{ name: "send_file", input: { path: "report.pdf" } }] },
    { say: "Here it is." },
  );
  // Slack takes the file, and its answer is lost: the gateway has no receipt when it is killed.
  slack.fail({ operation: "files.completeUploadExternal", kind: { is: "drop-answer" } });
  slack.fail({ operation: "conversations.history", times: 1_000, kind: { is: "hang" } });
  await slack.receive({ chatId: DM, text: "Send it" });
  await machine.until(() => slack.workspace.files.size === 1, "the file is taken");
  first.kill("SIGKILL");
  await first.exited();
  slack.heal();
  slack.workspace.sharesAfterMs = 0;
  const { outbox } = await machine.store();
  const [key] = await outbox.openLanes("slack", undefined);
  expect(key && (await outbox.head(key))).toMatchObject({ state: "sending", piece: { file: { name: "report.pdf" } } });

  await machine.startGateway();
  await slack.receive({ chatId: DM, text: "And?" });
  await machine.until(() => fromBot().some(({ text }) => /^Answer to:.*And\?/s.test(text)), "the next answer");
  expect(slack.workspace.files.size).toBe(1);
  expect(shared().map(({ content }) => Buffer.from(content))).toEqual([PDF_FILE]);
  await slack.close();
  await model.close();
  rmSync(work, { recursive: true, force: true });
});
