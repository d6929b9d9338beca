import { gate, type ModelServer } from "@hermes/testing";
import { afterEach, expect, it } from "vitest";
import { lastRequest, machineWith, startModel } from "../support/model.ts";
import { EmulatedPlace, openPlace } from "../support/places.ts";

let model: ModelServer;

afterEach(() => model.close());

it.each(["discord", "slack", "matrix", "signal", "imessage"])(
  "on %s, what waits is answered as it reads after a time in which no gateway ran",
  async (name) => {
    model = await startModel();
    await using place = await openPlace(name);
    if (!(place instanceof EmulatedPlace)) throw new Error("it has no emulator");
    const { emulator } = place;
    const chatId = emulator.chats.find(({ kind }) => kind === "dm")?.id ?? "";
    await using machine = machineWith(model, { plugins: [place.plugin] });
    const first = await machine.startGateway();
    const held = gate();
    model.push({ say: "Never to be finished.", hold: held });
    await place.write("Rome");
    await held.reached;
    const { messageId: deleted } = await emulator.receive({ chatId, text: "Delete everything" });
    const { messageId: emptied } = await emulator.receive({ chatId, text: "Delete the branch", mentions: true });
    const { messageId: edited } = await emulator.receive({ chatId, text: "Remove A" });
    const store = await machine.store();
    await machine.until(async () => {
      const [lane] = await store.inbox.openLanes(name, undefined);
      let last = lane === undefined ? null : await store.inbox.head(lane);
      for (let row = last; row !== null; row = await store.inbox.next(row.id)) last = row;
      return last?.message.text === "Remove A";
    }, "the last message");
    first.kill("SIGKILL");
    await first.exited();
    held.open();
    await emulator.retract?.({ chatId, messageId: deleted });
    await emulator.receive({ chatId, text: "", mentions: true, editOf: emptied });
    await emulator.receive({ chatId, text: "Remove B", editOf: edited });
    await machine.startGateway();
    const asked = () => model.requests.map(lastRequest);
    await machine.until(() => asked().some((text) => text.includes("Remove")), "the last answer");
    expect(asked().filter((text) => /Delete|Remove A/.test(text))).toEqual([]);
  },
);
