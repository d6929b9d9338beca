import { CHATS, startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { BAD_EDITS, EmulatedPlatform, usualTroubles } from "./emulated.ts";

/** Private chats and a group. */
export async function signal(): Promise<EmulatedPlatform> {
  const emulator = await startSignalEmulator();
  return new EmulatedPlatform({
    name: "signal",
    package: "@hermes/plugin-signal",
    emulator,
    options: { homeChannel: CHATS.ada },
    knowsFate: false,
    places: [{ chatId: CHATS.ada }, { chatId: CHATS.grace }, { chatId: CHATS.group, mentions: true }],
    newcomer: (number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    scripted: [
      ...usualTroubles(["RATE_LIMIT_FAILURE", "NETWORK_FAILURE", "IDENTITY_FAILURE"]),
      ...BAD_EDITS,
      { operation: "send", kind: { is: "rate-limit", retryAfterMs: 2_000 } },
    ],
    troubles: [
      {
        name: "the stream of events ends",
        play: () => void emulator.feed.end(),
      },
      {
        name: "nobody but administrators may write in the group",
        play() {
          emulator.setGroup(CHATS.group, { onlyAdminsSend: true });
          return () => emulator.setGroup(CHATS.group, { onlyAdminsSend: false });
        },
      },
    ],
    heal: () => emulator.setGroup(CHATS.group, { onlyAdminsSend: false }),
  });
}
