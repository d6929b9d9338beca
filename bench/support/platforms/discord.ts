import { CHANNEL, startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { type EmulatedPlatform, numbers, OPEN_TO_ALL } from "./platform.ts";

/** A thread that everybody in the channel sees (API reference, "Channel Types"). */
const PUBLIC_THREAD = 11;

/** A private chat, and the threads of a channel. */
export async function discord(): Promise<EmulatedPlatform> {
  const emulator = await startDiscordEmulator();
  const openThread = async (name: string): Promise<string> => {
    const response = await fetch(`${emulator.url}/api/v10/channels/${CHANNEL.general}/threads`, {
      method: "POST",
      headers: { authorization: `Bot ${emulator.options.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name, type: PUBLIC_THREAD }),
    });
    if (!response.ok) throw new Error(`a thread could not be opened: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { readonly id: string }).id;
  };
  return {
    platform: "discord",
    emulator,
    options: { homeChannel: CHANNEL.dm, ...OPEN_TO_ALL },
    direct: { chatId: CHANNEL.dm },
    begin: "/new",
    openPlaces: (count) =>
      Promise.all(
        numbers(count).map(async (i) => ({ chatId: CHANNEL.general, threadId: await openThread(`Thread ${i}`) })),
      ),
  };
}
