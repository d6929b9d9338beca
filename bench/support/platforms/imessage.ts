import { CHATS, startBlueBubblesEmulator } from "@hermes/plugin-imessage/emulator";
import { type EmulatedPlatform, numbers, OPEN_TO_ALL } from "./platform.ts";

/** Private chats, through a BlueBubbles server. */
export async function imessage(): Promise<EmulatedPlatform> {
  const emulator = await startBlueBubblesEmulator();
  return {
    platform: "imessage",
    emulator,
    options: { homeChannel: CHATS.ada, ...OPEN_TO_ALL },
    direct: { chatId: CHATS.ada },
    begin: "/new",
    async openPlaces(count) {
      const places = numbers(count).map((i) => ({ chatId: `iMessage;-;+49151${String(i).padStart(7, "0")}` }));
      for (const place of places) await emulator.receive({ ...place, text: "Hello" });
      return places;
    },
  };
}
