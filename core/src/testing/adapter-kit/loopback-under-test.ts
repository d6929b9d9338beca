import type { LoopbackEmulator } from "../loopback-emulator.ts";
import type { AdapterUnderTest } from "./subject.ts";

/** The loopback adapter, as the kit takes it. */
export function loopbackUnderTest(createEmulator: () => LoopbackEmulator): AdapterUnderTest<LoopbackEmulator> {
  return {
    name: "loopback",
    createEmulator: async () => createEmulator(),
    descriptor: ({ loopback }, options) => loopback.plugin(options),
    homes: ({ loopback }) => {
      const { threads } = loopback.capabilities;
      return [
        { name: "private chat", home: { chatId: "home", name: "Home" }, kind: "dm", threads },
        { name: "group", home: { chatId: "team", name: "Team" }, kind: "group", threads },
      ];
    },
    stranger: "stranger",
    refusals: [
      { operation: "send", code: "muted", becomes: "PLATFORM_FORBIDDEN" },
      { operation: "edit", code: "muted", becomes: "PLATFORM_FORBIDDEN" },
      { operation: "createThread", code: "no right", becomes: "PLATFORM_FORBIDDEN" },
    ],
  };
}
