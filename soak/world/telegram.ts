import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { BAD_EDITS, EmulatedPlatform, LIMITS, usualTroubles } from "./emulated.ts";

const BLOCKED = "Forbidden: bot was blocked by the user";

/** A private chat with topics, which is the home channel, a supergroup, and topics of a forum. */
export async function telegram(): Promise<EmulatedPlatform> {
  const emulator = await startTelegramEmulator();
  emulator.world.hasTopicsInPrivate = true;
  let topics = 0;
  const openTopic = async () => ({
    chatId: CHATS.forum,
    threadId: emulator.openThread(CHATS.forum, `Topic ${++topics}`),
    mentions: true,
  });
  const platform: EmulatedPlatform = new EmulatedPlatform({
    name: "telegram",
    package: "@hermes/plugin-telegram",
    emulator,
    options: { homeChannel: CHATS.private },
    knowsFate: false,
    places: [
      { chatId: CHATS.private },
      { chatId: CHATS.supergroup, mentions: true },
      await openTopic(),
      await openTopic(),
    ],
    newcomer: (number) => String(9_000_000 + number),
    openThread: openTopic,
    threadedChats: [CHATS.private, CHATS.forum],
    scripted: [
      ...usualTroubles([BLOCKED, "CHAT_WRITE_FORBIDDEN"], ["message can't be edited"]),
      ...LIMITS,
      ...BAD_EDITS,
      { operation: "getUpdates", kind: { is: "refuse", code: "Conflict" } },
      { operation: "getUpdates", times: 2, kind: { is: "break" } },
    ],
    troubles: [
      {
        name: "the topic is removed",
        removes: true,
        play(place) {
          if (place.threadId === undefined) return undefined;
          emulator.removeThread(place.chatId, place.threadId);
          void platform.abandon(place);
          return undefined;
        },
      },
      {
        name: "the person has blocked the bot",
        play: () => void emulator.fail({ operation: "send", times: 2, kind: { is: "refuse", code: BLOCKED } }),
      },
    ],
  });
  return platform;
}
