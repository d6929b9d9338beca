import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { type EmulatedPlatform, numbers, OPEN_TO_ALL } from "./platform.ts";

const DIRECT = "D0ADA";
const CHANNEL = "C0TEAM";

/** A direct message, and the threads of a channel. */
export async function slack(): Promise<EmulatedPlatform> {
  const emulator = await startSlackEmulator();
  return {
    platform: "slack",
    emulator,
    options: { homeChannel: DIRECT, ...OPEN_TO_ALL },
    direct: { chatId: DIRECT },
    // Slack's own clients keep a message that begins with a slash to themselves.
    begin: "!new",
    async openPlaces(count) {
      // A thread hangs on a message; this one is nobody's business but the bot's, whose own starts no turn.
      const roots = numbers(count).map((i) => emulator.receive({ chatId: CHANNEL, text: `Thread ${i}`, isOwn: true }));
      return (await Promise.all(roots)).map(({ messageId }) => ({ chatId: CHANNEL, threadId: messageId }));
    },
  };
}
