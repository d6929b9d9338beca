import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as imessage from "@hermes/plugin-imessage/emulator";
import * as signal from "@hermes/plugin-signal/emulator";
import { expect, it } from "vitest";
import { machineWith, startModel } from "../support/model.ts";

/** How often a message is tried while the store is locked: once, it was passed over for good before the fifth. */
const TRIES = 5;

const PLATFORMS = {
  signal: {
    start: signal.startSignalEmulator,
    chatId: signal.CHATS.ada,
    allowed: signal.PEOPLE.ada.number,
  },
  imessage: {
    start: imessage.startBlueBubblesEmulator,
    chatId: imessage.CHATS.ada,
    allowed: imessage.PEOPLE.ada,
  },
} as const;

it.each(["signal", "imessage"] as const)(
  "a person's first message survives a long lock of the store on %s",
  async (platform) => {
    const { start, chatId, allowed } = PLATFORMS[platform];
    const [model, emulator] = [await startModel(), await start()];
    await using machine = machineWith(model, {
      plugins: [[`@hermes/plugin-${platform}`, { ...emulator.options, allowedUsers: [allowed] }]],
    });
    await machine.startGateway();
    const answers = () => emulator.messages(chatId).filter(({ author }) => author === "bot");
    const lock = new DatabaseSync(join(machine.home, "store/hermes.db"));
    lock.exec("BEGIN IMMEDIATE");
    await emulator.receive({ chatId, text: "Do not lose this" });
    const tries = () =>
      readFileSync(join(machine.home, "logs/hermes.log"), "utf8").match(/a message was not taken; it is tried again/g)
        ?.length ?? 0;
    // One after the other, since each takes its time.
    for (let times = 1; times <= TRIES; times++) await machine.until(() => tries() >= times, `try ${times}`);
    lock.exec("ROLLBACK");
    lock.close();
    await machine.until(() => answers().length === 1, "the answer");
    await emulator.receive({ chatId, text: "The next one" });
    await machine.until(() => answers().length === 2, "the next answer");
    expect(answers().map(({ text }) => /Do not lose this|The next one/.exec(text)?.[0])).toEqual([
      "Do not lose this",
      "The next one",
    ]);
    await Promise.all([emulator.close(), model.close()]);
  },
);
