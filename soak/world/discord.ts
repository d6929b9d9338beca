import { CHANNEL, startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { BAD_EDITS, EmulatedPlatform, LIMITS, usualTroubles } from "./emulated.ts";

/** A thread that everybody in the channel sees (API reference, "Channel Types"). */
const PUBLIC_THREAD = 11;

/** A private chat, a channel that is the home channel, and threads of it. */
export async function discord(): Promise<EmulatedPlatform> {
  const emulator = await startDiscordEmulator();
  let threads = 0;
  const openThread = async () => {
    const response = await fetch(`${emulator.url}/api/v10/channels/${CHANNEL.general}/threads`, {
      method: "POST",
      headers: { authorization: `Bot ${emulator.options.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `Thread ${++threads}`, type: PUBLIC_THREAD }),
    });
    if (!response.ok) throw new Error(`a thread could not be opened: ${response.status} ${await response.text()}`);
    const { id } = (await response.json()) as { readonly id: string };
    return { chatId: CHANNEL.general, threadId: id, mentions: true };
  };
  const platform: EmulatedPlatform = new EmulatedPlatform({
    name: "discord",
    package: "@hermes/plugin-discord",
    emulator,
    options: { homeChannel: { chatId: CHANNEL.general, shared: true } },
    knowsFate: true,
    places: [{ chatId: CHANNEL.dm }, { chatId: CHANNEL.general }, await openThread(), await openThread()],
    newcomer: (number) => `9${String(number).padStart(17, "0")}`,
    openThread,
    threadedChats: [CHANNEL.general],
    scripted: [
      ...usualTroubles(["50013", "50001"], ["50083"]),
      ...LIMITS,
      ...BAD_EDITS,
      { operation: "deliver", kind: { is: "disconnect" } },
    ],
    troubles: [
      {
        name: "the thread is archived",
        play({ threadId }) {
          if (threadId !== undefined) emulator.archiveThread(threadId);
          return undefined;
        },
      },
      {
        name: "the thread is locked and archived",
        play({ threadId }) {
          if (threadId === undefined) return undefined;
          emulator.lockThread(threadId);
          emulator.archiveThread(threadId);
          void platform.abandon({ chatId: CHANNEL.general, threadId });
          return undefined;
        },
      },
      {
        name: "the thread is removed",
        removes: true,
        play({ chatId, threadId }) {
          if (threadId === undefined) return undefined;
          emulator.removeThread(chatId, threadId);
          void platform.abandon({ chatId, threadId });
          return undefined;
        },
      },
      {
        name: "Discord asks to connect anew",
        play: () => void emulator.gateway.askToReconnect(),
      },
      {
        name: "the session cannot be resumed",
        play() {
          emulator.gateway.forgetSessions();
          emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
          return undefined;
        },
      },
    ],
    forget: () => emulator.gateway.forgetSessions(),
  });
  return platform;
}
