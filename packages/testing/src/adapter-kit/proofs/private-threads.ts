import { gate } from "../../gate.ts";
import { check, checkEqual } from "../check.ts";
import type { LiveGateway } from "../machine.ts";
import { proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";
import type { KitHome, KitPlace } from "../subject.ts";

const MEANT_FOR_FEW = "This is for a few only.";

export const privateThreadProofs = proofsOfRule("What is said in a private thread stays there", [
  {
    id: "threads/private",
    proof: "a thread is reported as private exactly if the platform says that not everybody in its chat can read it",
    homes: { fitting: (home) => home.threads || isThread(home), wanted: "with threads" },
    async play(on) {
      const { adapter, tap } = await on.gateway();
      const { home, name, isPrivate = false, threads } = on.home;
      const at = await adapter.homeConversation(home);
      const before = on.threadIds();
      const opened = threads ? await adapter.createHandoffThread(at.chatId, "For everybody", on.threadOptions()) : null;
      const { isPrivate: isSaid = false } = opened?.conversation ?? at;
      checkEqual(isSaid, isPrivate, `whether the thread of ${name} is private`);
      const place = opened === null ? on.homePlace : on.placeOf(opened, before);
      await on.write("Who reads this?", place);
      const written = () => tap.received.find(({ text }) => text.includes("Who reads this?"))?.conversation;
      await on.until("what is written there is received", () => written() !== undefined);
      checkEqual(written()?.isPrivate ?? false, isPrivate, `whether what is written in ${name} is private`);
    },
  },
  {
    id: "threads/private-gone",
    proof: "an answer whose private thread was removed is sent neither to the chat nor to another thread",
    homes: { fitting: ({ isPrivate = false }) => isPrivate, wanted: "that is a private thread" },
    async play(on) {
      const gateway = await on.gateway();
      await on.ask(gateway);
      await answersIntoRemoved(on, gateway, on.homePlace);
      checkEqual(on.countSaid(MEANT_FOR_FEW, on.chat), 0, "how often the chat reads what was said in private");
      const others = on.threadIds().map((threadId) => on.countSaid(MEANT_FOR_FEW, { ...on.chat, threadId }));
      check(!others.some((count) => count > 0), "another thread reads what was said in private");
    },
  },
]);

function isThread({ home, place }: KitHome): boolean {
  return (home.threadId ?? place?.threadId) !== undefined;
}

/** Makes the agent answer in a thread that is removed meanwhile, and waits until the platform refuses the answer. */
async function answersIntoRemoved(on: Stage, { tap }: LiveGateway, { chatId, threadId = "" }: KitPlace): Promise<void> {
  const held = gate();
  on.model.push([{ hold: held }, { say: MEANT_FOR_FEW }]);
  await on.write("What is it?", { chatId, threadId });
  await held.reached;
  on.emulator.removeThread(chatId, threadId);
  const sent = tap.calls.length;
  held.open();
  await on.until("the answer is sent", () => tap.calls.slice(sent).some(({ endedAt }) => endedAt !== null));
  await on.quiet();
}
