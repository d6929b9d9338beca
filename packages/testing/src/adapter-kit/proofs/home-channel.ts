import { check, checkEqual, shown } from "../check.ts";
import type { KitProof } from "../proof.ts";

export const homeProofs: readonly KitProof[] = [
  {
    id: "home/thread",
    rule: "Decision: a home that is a thread itself",
    proof: "/sethome in a thread makes that thread the home at once; handoffs never open another there",
    homes: {
      fitting: ({ threads, canHoldMessages = true }) => threads && canHoldMessages,
      wanted: "where threads can be opened",
      options: ({ people }) => ({ homeChannel: undefined, operators: people.slice(0, 1).map(({ id }) => id) }),
    },
    async play(on) {
      const { adapter } = await on.gateway();
      const { chatId } = await adapter.homeConversation(on.home.home);
      const before = on.threadIds();
      const thread = await adapter.createHandoffThread(chatId, "A home", on.threadOptions());
      check(thread !== null, "no thread was opened");
      const place = on.placeOf(thread, before);
      const threads = on.threadIds();
      await on.write(on.typed("sethome"), place, { mentions: true });
      await on.until("the reply arrives", () => on.said(place).some((text) => text.includes("home channel")));
      for (const opening of ["We stand at one.", "We stand at two."]) {
        const sessionId = await on.terminalSession();
        on.model.push(opening);
        await on.requestHandoff(sessionId);
        await on.untilHandedOff(sessionId, threads);
        checkEqual(on.threadIds(), threads, "the threads that are there");
        checkEqual(on.countSaid(opening, place), 1, `how often it is said in ${shown(place)}`);
        await on.restarted();
      }
    },
  },
];
