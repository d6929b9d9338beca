import type { loopbackUnderTest } from "../loopback-under-test.ts";
import type { PlantedBug } from "./planted-bug.ts";
import type { RicherPlatform } from "./richer-platforms.ts";

type Judges = ReturnType<typeof loopbackUnderTest>["judges"];

/** What another client of the platform relies on: a message that was written stands in its chat. */
const judges: Judges = [
  {
    source: "another client",
    async judge(emulator) {
      const { messageId } = await emulator.receive({ chatId: "home", text: "Is it kept?" });
      const kept = emulator.messages("home").find(({ id }) => id === messageId);
      if (kept?.text !== "Is it kept?") throw new Error(`it finds ${JSON.stringify(kept?.text)} as ${messageId}`);
    },
  },
];

const JUDGED: RicherPlatform = { tell: () => ({ judges }) };

/** Bugs of emulators, which a proof of the adapter alone would not notice. */
export const emulatorBugs: readonly PlantedBug[] = [
  {
    bug: "is proved against an emulator that changes what people write",
    caughtBy: ["emulator/judged", /another client: it finds "IS IT KEPT\?" as/],
    on: () => JUDGED,
    plant: () => {},
    misplay(emulator) {
      const receive = emulator.receive.bind(emulator);
      emulator.receive = (message) => receive({ ...message, text: message.text.toUpperCase() });
    },
  },
];
