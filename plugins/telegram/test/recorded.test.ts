import { type AdapterUnderTest, proveAdapter } from "@hermes/testing";
import { expect, it } from "vitest";
import { CHATS, startTelegramEmulator, type TelegramEmulator } from "../emulator/index.ts";
import { subject } from "./subject.ts";

it("an emulator that calls people by numbers is caught by what Telegram documents", async () => {
  const wrong: AdapterUnderTest<TelegramEmulator> = {
    ...subject,
    async createEmulator() {
      const emulator = await startTelegramEmulator();
      Object.assign(emulator.world.chat(Number(CHATS.private)), { name: 42 });
      return emulator;
    },
  };
  const [finding] = await proveAdapter(wrong, ["emulator/judged"]);
  expect(finding).toMatchObject({
    result: "failed",
    detail: expect.stringMatching(/a message is sent to a person .*first_name is a number; recorded was a string/),
  });
});
