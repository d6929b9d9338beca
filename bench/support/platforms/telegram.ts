import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { type EmulatedPlatform, numbers, OPEN_TO_ALL } from "./platform.ts";

/** A private chat, and the topics of a forum. */
export async function telegram(): Promise<EmulatedPlatform> {
  const emulator = await startTelegramEmulator();
  return {
    platform: "telegram",
    emulator,
    options: { homeChannel: CHATS.private, ...OPEN_TO_ALL },
    direct: { chatId: CHATS.private },
    begin: "/new",
    openPlaces: async (count) =>
      numbers(count).map((i) => ({ chatId: CHATS.forum, threadId: emulator.openThread(CHATS.forum, `Topic ${i}`) })),
  };
}
