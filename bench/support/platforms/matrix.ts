import { BOT, ROOMS, startMatrixEmulator } from "@hermes/plugin-matrix/emulator";
import { type EmulatedPlatform, numbers, OPEN_TO_ALL } from "./platform.ts";

/** Direct chats without encryption. */
export function matrix(): Promise<EmulatedPlatform> {
  return matrixIn(ROOMS.direct);
}

/** Direct chats that are encrypted: whoever writes has a client, with keys of its own, in the emulator's process. */
export function encryptedMatrix(): Promise<EmulatedPlatform> {
  return matrixIn(ROOMS.encryptedDirect);
}

async function matrixIn(roomId: string): Promise<EmulatedPlatform> {
  const emulator = await startMatrixEmulator();
  const isEncrypted = roomId === ROOMS.encryptedDirect;
  return {
    platform: "matrix",
    emulator,
    options: { homeChannel: roomId, ...OPEN_TO_ALL },
    direct: { chatId: roomId },
    begin: "!new",
    async openPlaces(count) {
      const ids = numbers(count).map((i) => roomId.replace("!", `!${i}-`));
      for (const id of ids) emulator.createRoom({ id, members: [BOT.userId], isEncrypted });
      return ids.map((chatId) => ({ chatId }));
    },
  };
}
