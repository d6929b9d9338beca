import { CHATS, startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { type EmulatedPlatform, meet, numbers, OPEN_TO_ALL } from "./platform.ts";

/** Private chats, with people who hide their numbers. */
export async function signal(): Promise<EmulatedPlatform> {
  const emulator = await startSignalEmulator();
  return {
    platform: "signal",
    emulator,
    options: { homeChannel: CHATS.ada, ...OPEN_TO_ALL },
    direct: { chatId: CHATS.ada },
    begin: "/new",
    openPlaces: (count) => meet(emulator, CHATS.ada, numbers(count).map(serviceId)),
  };
}

function serviceId(i: number): string {
  return `44444444-aaaa-4bbb-8ccc-${`${i}`.padStart(12, "0")}`;
}
