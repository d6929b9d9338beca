import type { InboxRow } from "@hermes/core/embed";
import { gate } from "../../gate.ts";
import { check } from "../check.ts";
import { NotClaimed, proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";

export const leftProofs = proofsOfRule("Guarantee: a message is answered as its writer left it", [
  {
    id: "left/edited",
    proof: "a message that a killed gateway left is answered as it reads once edited while none ran",
    async play(on) {
      const editOf = await leave(on, "Remove the first.");
      await on.write("Remove the second.", on.homePlace, { editOf });
      await restarted(on);
      await on.until("the message as edited is answered", () => asked(on).some((text) => text.includes("the second.")));
      await on.quiet();
      isNeverAsked(on, "Remove the first.");
    },
  },
  {
    id: "left/deleted",
    proof: "a message that a killed gateway left, and its writer deleted while none ran, is not answered",
    async play(on) {
      const { emulator } = on;
      if (emulator.retract === undefined) throw new NotClaimed("Nobody is told there that a message was deleted");
      const messageId = await leave(on, "Remove the first.");
      await emulator.retract({ ...on.homePlace, messageId });
      await restarted(on);
      await on.write("Remove the second.");
      await on.until("the next message is answered", () => asked(on).some((text) => text.includes("the second.")));
      await on.quiet();
      isNeverAsked(on, "Remove the first.");
    },
  },
]);

/** A gateway accepts a message behind one that it works on, and is killed; nothing of the former is left to do. */
async function leave(on: Stage, text: string): Promise<string> {
  const first = await on.gateway();
  await on.ask(first);
  const held = gate();
  on.model.push([{ hold: held }, { say: "Never to be said." }]);
  await on.write("Wait for it.");
  await held.reached;
  const messageId = await on.write(text);
  const { inbox } = (await on.terminal()).store;
  const open = async (): Promise<InboxRow[]> => {
    const [lane] = await inbox.openLanes(on.subject.name, undefined);
    const rows: InboxRow[] = [];
    for (let row = lane ? await inbox.head(lane) : null; row; row = await inbox.next(row.id)) rows.push(row);
    return rows;
  };
  await on.until("both are kept", async () => (await open()).length === 2);
  // The platform hears that it was taken.
  await on.quiet();
  await first.die();
  const [begun] = await open();
  check(begun?.state === "running", () => `the first message is ${begun?.state}`);
  await inbox.settle(begun.id, []);
  return messageId;
}

/** What the platform held comes at once, and takes a while to be kept. */
async function restarted(on: Stage): Promise<void> {
  const slow = gate();
  await on.gateway((tap) => {
    tap.heldBack = slow.pass();
  });
  await on.quiet();
  slow.open();
}

function asked({ model }: Stage): string[] {
  return model.requests.map(({ messages }) => messages.at(-1)?.text ?? "");
}

function isNeverAsked(on: Stage, text: string): void {
  check(!asked(on).some((one) => one.includes(text)), () => `the model was asked “${text}”`);
}
