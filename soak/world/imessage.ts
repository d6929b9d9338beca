import { CHATS, startBlueBubblesEmulator } from "@hermes/plugin-imessage/emulator";
import { BAD_EDITS, EmulatedPlatform, usualTroubles } from "./emulated.ts";

/** How long the Mac is away, in milliseconds. */
const AWAY_MS = 3_000;

/** Private chats by iMessage and SMS, and a group. */
export async function imessage(): Promise<EmulatedPlatform> {
  const emulator = await startBlueBubblesEmulator();
  const back = () => emulator.setMac({ power: "on" });
  /** Ends after a while, or when what is returned is called. */
  const leave = (power: "restarting" | "asleep") => {
    emulator.setMac({ power });
    const timer = setTimeout(back, AWAY_MS);
    return () => {
      clearTimeout(timer);
      back();
    };
  };
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
        play: () => leave("restarting"),
      },
      {
        name: "the Mac sleeps",
        play: () => leave("asleep"),
      },
      {
        name: "the server tells again of its last messages",
        play: () => void emulator.replay(20),
      },
    ],
    heal: back,
  });
}
