import type { EmulatedInbound, Emulator } from "@hermes/core/emulator";
import { CHANNEL, startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { CHATS, startTelegramEmulator } from "@hermes/plugin-telegram/emulator";

/** Where somebody writes. */
export type Place = Omit<EmulatedInbound, "text">;

/** A platform on this machine, with a private chat that is the home channel, and a group. */
export interface EmulatedPlatform {
  readonly platform: string;
  readonly emulator: Emulator;
  /** The plugin's options besides those of the emulator. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The private chat. */
  readonly direct: Place;
  /** How a person begins a new session there; the message stands behind it. */
  readonly begin: string;
  /** Places of the group that are a conversation each. A gateway listens already. */
  openPlaces(count: number): Promise<readonly Place[]>;
}

/** Whoever is in the group may write there, and mentions nobody. */
const OPEN_GROUP = { allowedUsers: ["*"], requireMention: false };

export const PLATFORMS: Readonly<Record<string, () => Promise<EmulatedPlatform>>> = {
  async telegram() {
    const emulator = await startTelegramEmulator();
    return {
      platform: "telegram",
      emulator,
      options: { homeChannel: CHATS.private, ...OPEN_GROUP },
      direct: { chatId: CHATS.private },
      begin: "/new",
      openPlaces: async (count) =>
        numbers(count).map((i) => ({ chatId: CHATS.forum, threadId: emulator.openThread(CHATS.forum, `Topic ${i}`) })),
    };
  },

  async discord() {
    return {
      platform: "discord",
      emulator: await startDiscordEmulator(),
      options: { homeChannel: CHANNEL.dm, ...OPEN_GROUP, sessionPerUser: true },
      direct: { chatId: CHANNEL.dm },
      begin: "/new",
      // People have a conversation each there.
      openPlaces: async (count) => numbers(count).map((i) => ({ chatId: CHANNEL.general, userId: `${10_000 + i}` })),
    };
  },

  async slack() {
    const emulator = await startSlackEmulator();
    const channel = "C0TEAM";
    return {
      platform: "slack",
      emulator,
      options: { homeChannel: "D0ADA", ...OPEN_GROUP },
      direct: { chatId: "D0ADA" },
      // Slack's own clients keep a message that begins with a slash to themselves.
      begin: "!new",
      async openPlaces(count) {
        // A thread hangs on a message; this one is nobody's business but the bot's, whose own starts no turn.
        const roots = numbers(count).map((i) =>
          emulator.receive({ chatId: channel, text: `Thread ${i}`, isOwn: true }),
        );
        return (await Promise.all(roots)).map(({ messageId }) => ({ chatId: channel, threadId: messageId }));
      },
    };
  },
};

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
