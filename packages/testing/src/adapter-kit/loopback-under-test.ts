import type { LoopbackEmulator } from "../loopback-emulator.ts";
import type { AdapterUnderTest } from "./subject.ts";

/** The loopback adapter as a subject of the kit. */
export function loopbackUnderTest(createEmulator: () => LoopbackEmulator): AdapterUnderTest<LoopbackEmulator> {
  return {
    name: "loopback",
    async createEmulator() {
      const emulator = createEmulator();
      emulator.loopback.numbers.set("person", "+1");
      return emulator;
    },
    descriptor: ({ loopback }, options) => loopback.plugin(options),
    homes: ({ loopback }) => {
      const threads = loopback.capabilities.threads !== false;
      return [
        { name: "private chat", home: { chatId: "home", name: "Home" }, kind: "dm", threads },
        { name: "group", home: { chatId: "team", name: "Team" }, kind: "group", threads },
      ];
    },
    stranger: "stranger",
    passOn({ loopback }) {
      const { numbers } = loopback;
      const number = numbers.get("person") ?? "+1";
      numbers.delete("person");
      numbers.set("stranger", number);
      return { stays: "person", other: { chatId: "home", userId: "stranger" } };
    },
    takeOver(emulator) {
      const connections = () => emulator.log.filter(({ method }) => method === "connect").length;
      const before = connections();
      emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
      return () => connections() - before;
    },
    threadSwitches: [
      {
        name: "the right to open threads is missing",
        turnOff: (emulator) =>
          emulator.fail({ operation: "createThread", times: 1_000, kind: { is: "refuse", code: "no right" } }),
        gives: "PLATFORM_FORBIDDEN",
      },
    ],
    refusals: [
      { operation: "send", code: "muted", becomes: "PLATFORM_FORBIDDEN" },
      { operation: "edit", code: "muted", becomes: "PLATFORM_FORBIDDEN" },
      { operation: "createThread", code: "no right", becomes: "PLATFORM_FORBIDDEN" },
    ],
  };
}
