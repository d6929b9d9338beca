import { ROOMS, startMatrixEmulator } from "@hermes/plugin-matrix/emulator";
import { BAD_EDITS, EmulatedPlatform, LIMITS, usualTroubles } from "./emulated.ts";

/** A direct chat, which is the home channel, one that is encrypted, a group, and threads of it. */
export async function matrix(): Promise<EmulatedPlatform> {
  const emulator = await startMatrixEmulator();
  let threads = 0;
  const openThread = async () => ({
    chatId: ROOMS.group,
    threadId: emulator.openThread(ROOMS.group, `Thread ${++threads}`),
    mentions: true,
  });
  const platform: EmulatedPlatform = new EmulatedPlatform({
    name: "matrix",
    package: "@hermes/plugin-matrix",
    emulator,
    options: { homeChannel: ROOMS.direct },
    knowsFate: true,
    renewal: "!new",
    places: [
      { chatId: ROOMS.direct },
      { chatId: ROOMS.encryptedDirect },
      { chatId: ROOMS.group, mentions: true },
      await openThread(),
    ],
    newcomer: (number) => `@new${number}:emulated.test`,
    openThread,
    threadedChats: [ROOMS.direct, ROOMS.group],
    scripted: [
      ...usualTroubles(["M_FORBIDDEN"], ["M_FORBIDDEN"]),
      ...LIMITS,
      ...BAD_EDITS,
      { operation: "sync", times: 2, kind: { is: "break" } },
      { operation: "sync", kind: { is: "rate-limit", retryAfterMs: 1_000 } },
    ],
    troubles: [
      {
        name: "the message that the thread hangs on is removed",
        play({ chatId, threadId }) {
          if (threadId === undefined) return undefined;
          emulator.removeThread(chatId, threadId);
          void platform.abandon({ chatId, threadId });
          return undefined;
        },
      },
      {
        name: "the bot may not write in the group",
        play() {
          emulator.setMayWrite(ROOMS.group, false);
          return () => emulator.setMayWrite(ROOMS.group, true);
        },
      },
    ],
  });
  return platform;
}
