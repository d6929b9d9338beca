import {
  CLOUD_CHATS,
  PERSONAL_CHATS,
  startWhatsAppCloudEmulator,
  startWhatsAppPersonalEmulator,
} from "@hermes/plugin-whatsapp/emulator";
import { EmulatedPlatform, usualTroubles } from "./emulated.ts";
import type { Scripted } from "./soak-platform.ts";

/** The transports are two accounts of one platform. */
const CLOUD_ACCOUNT = "business";

/** Chats with a business number, through Meta's Cloud API. */
export async function whatsappCloud(): Promise<EmulatedPlatform> {
  const emulator = await startWhatsAppCloudEmulator();
  return new EmulatedPlatform({
    name: "whatsapp cloud",
    package: "@hermes/plugin-whatsapp",
    emulator,
    options: { homeChannel: CLOUD_CHATS.ada, account: CLOUD_ACCOUNT },
    knowsFate: false,
    places: [{ chatId: CLOUD_CHATS.ada }, { chatId: CLOUD_CHATS.bob }],
    scripted: [
      ...usualTroubles(["131031", "131016"]),
      { operation: "send", kind: { is: "rate-limit", retryAfterMs: 2_000 } },
    ],
    troubles: [
      {
        name: "webhooks do not get through",
        play() {
          emulator.link.setReachable(false);
          return () => emulator.link.setReachable(true);
        },
      },
      {
        name: "the next message is refused after it was taken",
        play: () => void emulator.refuseLate(),
      },
    ],
    heal: () => emulator.link.setReachable(true),
  });
}

const SENDS: readonly Scripted[] = [
  { operation: "send", kind: { is: "hang" } },
  { operation: "send", kind: { is: "drop-answer" } },
  { operation: "edit", kind: { is: "drop-answer" } },
  { operation: "edit", kind: { is: "refuse", code: "479" } },
  { operation: "send", kind: { is: "refuse", code: "429" } },
];

/** Chats with an account that Hermes is a linked device of. People's phones encrypt in this process. */
export async function whatsappPersonal(): Promise<EmulatedPlatform> {
  const emulator = await startWhatsAppPersonalEmulator();
  return new EmulatedPlatform({
    name: "whatsapp personal",
    package: "@hermes/plugin-whatsapp",
    emulator,
    options: { homeChannel: PERSONAL_CHATS.ada },
    knowsFate: true,
    places: [
      { chatId: PERSONAL_CHATS.ada },
      { chatId: PERSONAL_CHATS.bob },
      { chatId: PERSONAL_CHATS.group, mentions: true },
    ],
    newcomer: (number) => `4915${String(number).padStart(8, "0")}`,
    scripted: [...usualTroubles(["403"]), ...SENDS],
    troubles: [
      {
        name: "the server asks every client to connect anew",
        play: () => void emulator.restart(),
      },
      {
        name: "nobody but administrators may write in the group",
        play() {
          emulator.world.chat(PERSONAL_CHATS.group).isForAdmins = true;
          return () => {
            emulator.world.chat(PERSONAL_CHATS.group).isForAdmins = false;
          };
        },
      },
    ],
    heal: () => {
      emulator.world.chat(PERSONAL_CHATS.group).isForAdmins = false;
    },
    async prepare(machine) {
      const linking = machine.start("whatsapp", "link", "--text");
      const [code] = await linking.says(/https:\/\/wa\.me\/settings\/linked_devices#\S+/);
      emulator.scan(code);
      if ((await linking.exited()) !== 0) throw new Error(`the device was not linked: ${linking.stderr}`);
    },
  });
}
