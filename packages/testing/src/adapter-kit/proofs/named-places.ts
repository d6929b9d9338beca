import type { Store } from "@hermes/core/embed";
import type { Emulator } from "@hermes/emulator";
import { check, checkEqual, shown } from "../check.ts";
import { HomeChats } from "../home-chats.ts";
import { type KitProof, NotClaimed } from "../proof.ts";
import type { Stage } from "../stage.ts";

type KnownPlace = Awaited<ReturnType<Store["places"]["list"]>>[number];

const RULE = "Guarantee: a session goes to any place by its name";

export const namedPlaceProofs: readonly KitProof[] = [
  {
    id: "places/named",
    rule: RULE,
    proof: "a session handed to a group that the config names goes there, and nothing of it to the home channel",
    async run({ subject, stage }) {
      const groupOf = (emulator: Emulator) => new HomeChats(emulator, subject.homes(emulator)).otherGroup;
      const options = (emulator: Emulator) => {
        const group = groupOf(emulator);
        return group === null ? {} : { places: { ops: { ...group, shared: true } } };
      };
      await stage(
        async (on) => {
          const group = on.otherGroup;
          if (group === null) throw new NotClaimed("There is no group beside the home channel");
          const gateway = await on.gateway();
          const home = remains(on);
          const before = on.emulator.threads(group.chatId).map(({ id }) => id);
          const sessionId = await handToOps(on);
          const fresh = on.emulator.threads(group.chatId).filter(({ id }) => !before.includes(id));
          check(fresh.length <= 1, () => `the handoff opened ${fresh.length} threads in the group`);
          const [thread] = fresh;
          const place = thread === undefined ? group : { ...group, threadId: thread.id };
          checkEqual(remains(on), home, "what is at the home channel");
          checkEqual(on.countSaid("We stand at the plan.", place), 1, `how often it is said in ${shown(place)}`);
          checkEqual(
            (await on.ask(gateway, place, { mentions: true })).session,
            sessionId,
            "the session that goes on there",
          );
          checkEqual(remains(on), home, "what is at the home channel after an answer");
        },
        { options },
      );
    },
  },
];

/** Hands a session to the place that the config calls `ops`. */
async function handToOps(on: Stage) {
  const { requestHandoff } = await import("@hermes/core/embed");
  const sessionId = await on.terminalSession();
  const { store, clock } = await on.terminal();
  let found: KnownPlace | undefined;
  await on.until("the place of the config is known", async () => {
    found = (await store.places.list()).find(({ called }) => called === "ops");
    return found !== undefined;
  });
  const { key, conversation } = found as KnownPlace;
  const { platform, account } = conversation;
  const to = { kind: "conversation", platform, account, key, conversation, name: "ops" } as const;
  on.model.push("We stand at the plan.");
  await requestHandoff({ store, clock }, { sessionId, to, from: "terminal" });
  await on.until("the handoff ends", async () => {
    const latest = await store.handoffs.latestOf(sessionId);
    check(latest?.state !== "failed", () => `the handoff failed: ${latest?.error?.text}`);
    return latest?.state === "completed";
  });
  return sessionId;
}

/** All that stands at the home channel and in its threads. */
function remains(on: Stage): unknown {
  const said = [on.homePlace, ...on.threadIds().map((threadId) => ({ ...on.chat, threadId }))].map((at) => on.said(at));
  return { threads: on.threadIds(), said };
}
