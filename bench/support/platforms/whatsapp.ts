import {
  CLOUD_CHATS,
  PERSONAL_CHATS,
  startWhatsAppCloudEmulator,
  startWhatsAppPersonalEmulator,
} from "@hermes/plugin-whatsapp/emulator";
import { type EmulatedPlatform, meet, numbers, OPEN_TO_ALL } from "./platform.ts";

/** Chats with a business number, through Meta's Cloud API. */
export async function whatsapp(): Promise<EmulatedPlatform> {
  const emulator = await startWhatsAppCloudEmulator();
  return {
    platform: "whatsapp",
    emulator,
    options: { homeChannel: CLOUD_CHATS.ada, ...OPEN_TO_ALL },
    direct: { chatId: CLOUD_CHATS.ada },
    begin: "/new",
    openPlaces: (count) => meet(emulator, CLOUD_CHATS.ada, numbers(count).map(phoneNumber)),
  };
}

/** Chats with an account that Hermes is a linked device of. People's phones encrypt in the emulator's process. */
export async function linkedWhatsApp(): Promise<EmulatedPlatform> {
  const emulator = await startWhatsAppPersonalEmulator();
  return {
    platform: "whatsapp",
    emulator,
    options: { homeChannel: PERSONAL_CHATS.ada, ...OPEN_TO_ALL },
    direct: { chatId: PERSONAL_CHATS.ada },
    begin: "/new",
    async prepare(machine) {
      const linking = machine.start("whatsapp", "link", "--text");
      const [code] = await linking.says(/https:\/\/wa\.me\/settings\/linked_devices#\S+/);
      emulator.scan(code);
      if ((await linking.exited()) !== 0) throw new Error(`the device was not linked: ${linking.stderr}`);
    },
    openPlaces: (count) => meet(emulator, PERSONAL_CHATS.ada, numbers(count).map(phoneNumber)),
  };
}

function phoneNumber(i: number): string {
  return `4917100${`${i}`.padStart(5, "0")}`;
}
