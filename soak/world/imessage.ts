import { CHATS, startBlueBubblesEmulator } from "@hermes/plugin-imessage/emulator";
import { BAD_EDITS, EmulatedPlatform, usualTroubles } from "./emulated.ts";

/** How long the Mac is away, in milliseconds. */
const AWAY_MS = 3_000;

/** Private chats by iMessage and SMS, and a group. */
export async function imessage(): Promise<EmulatedPlatform> {
  const emulator = await startBlueBubblesEmulator();
  return new EmulatedPlatform({
    name: "imessage",
    package: "@hermes/plugin-imessage",
    emulator,
    options: { homeChannel: CHATS.ada, sms: true },
    knowsFate: true,
    places: [{ chatId: CHATS.ada }, { chatId: CHATS.carl }, { chatId: CHATS.group, mentions: true }],
    newcomer: (number) => `+1555${String(number).padStart(7, "0")}`,
    scripted: [
      ...usualTroubles(["ERROR_22", "SIGNED_OUT", "GATEWAY_TIMEOUT", "UNMATCHED"]),
      ...BAD_EDITS,
      { operation: "deliver", kind: { is: "lose" } },
      { operation: "connect", times: 5, kind: { is: "break" } },
    ],
    troubles: [
      {
        name: "the Mac restarts, and what comes meanwhile is in its history alone",
        play() {
          emulator.setMac({ power: "restarting" });
          const back = setTimeout(() => emulator.setMac({ power: "on" }), AWAY_MS);
          return () => {
            clearTimeout(back);
            emulator.setMac({ power: "on" });
          };
        },
      },
      {
        name: "the Mac sleeps",
        play() {
          emulator.setMac({ power: "asleep" });
          const back = setTimeout(() => emulator.setMac({ power: "on" }), AWAY_MS);
          return () => {
            clearTimeout(back);
            emulator.setMac({ power: "on" });
          };
        },
      },
      {
        name: "the server tells again of its last messages",
        play() {
          emulator.replay(20);
          return undefined;
        },
      },
    ],
    heal: () => emulator.setMac({ power: "on" }),
  });
}
