import type { EmulatorModule } from "@hermes/emulator";
import { startSlackEmulator } from "./slack-emulator.ts";

export {
  type SlackEmulator,
  type SlackEmulatorOptions,
  type SlackInbound,
  startSlackEmulator,
} from "./slack-emulator.ts";

/** For `hermes emulate slack`. */
export const startEmulator: EmulatorModule["startEmulator"] = startSlackEmulator;
