import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { BAD_EDITS, EmulatedPlatform, LIMITS, usualTroubles } from "./emulated.ts";

const DIRECT = "D0ADA";
const CHANNEL = "C0TEAM";

/** A direct message, which is the home channel, a channel, and threads of it. */
export async function slack(): Promise<EmulatedPlatform> {
  const emulator = await startSlackEmulator();
  let threads = 0;
  const openThread = async () => {
    // A thread hangs on a message; this one is nobody's business but the bot's, whose own starts no turn.
    const root = await emulator.receive({ chatId: CHANNEL, text: `Thread ${++threads}`, isOwn: true });
    return { chatId: CHANNEL, threadId: root.messageId, mentions: true };
  };
  return new EmulatedPlatform({
    name: "slack",
    package: "@hermes/plugin-slack",
    emulator,
    options: { homeChannel: DIRECT },
    knowsFate: true,
    // Slack's own clients keep a message that begins with a slash to themselves.
    renewal: "!new",
    places: [{ chatId: DIRECT }, { chatId: CHANNEL, mentions: true }, await openThread(), await openThread()],
    newcomer: (number) => `U0NEW${number}`,
    openThread,
    threadedChats: [DIRECT, CHANNEL],
    scripted: [
      ...usualTroubles(["restricted_action", "internal_error"], ["edit_window_closed"]),
      ...LIMITS,
      ...BAD_EDITS,
    ],
    troubles: [
      {
        name: "the channel is archived",
        play() {
          emulator.workspace.channel(CHANNEL).isArchived = true;
          return () => {
            emulator.workspace.channel(CHANNEL).isArchived = false;
          };
        },
      },
      {
        name: "Slack announces the connection's end",
        play: () => void emulator.hub.announceEnd("refresh_requested"),
      },
    ],
    heal: () => {
      emulator.workspace.channel(CHANNEL).isArchived = false;
    },
    forget: () => emulator.hub.giveUp(),
  });
}
