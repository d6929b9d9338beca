import type { EmulatedInbound, Emulator } from "@hermes/emulator";
import { check, checkEqual, shown } from "../check.ts";
import { type HomeFilter, NotClaimed, proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";
import type { KitPlace } from "../subject.ts";

/** The answer of /whoami to the operator. */
const OPERATOR = "You are the operator";

/** With no allowed users, only the home channel makes somebody the operator; everybody else is a stranger. */
const PRIVATE: HomeFilter = {
  options: { allowedUsers: [] },
  fitting: ({ kind }) => kind === "dm",
  wanted: "that is a private chat",
};

export const identityProofs = proofsOfRule("Guarantee: nobody is taken for somebody else", [
  {
    id: "identity/home",
    proof: "the person in a private home channel is the operator from the first message, as the platform reports it",
    homes: PRIVATE,
    async play(on) {
      const { adapter } = await on.gateway();
      const { ids } = await adapter.peopleAt(await adapter.homeConversation(on.home.home));
      if (ids.length === 0) throw new NotClaimed("The platform does not say who is in a chat.");
      checkEqual(ids.length, 1, "how many people are in the private home channel");
      await on.write(on.typed("whoami"));
      await on.until("the operator is told so", () => on.countSaid(OPERATOR) === 1);
      const people = await on.running.host.store.homePeople.list();
      checkEqual(
        people.map(({ person, word }) => ({ person, word })),
        [{ person: ids[0] ?? null, word: "platform" }],
        "who is recorded",
      );
    },
  },
  {
    id: "identity/second",
    proof: "anybody else who writes in a private home channel is a stranger, and still is after a restart",
    homes: PRIVATE,
    async play(on) {
      const other = strangerOf(on);
      const { enter } = abilitiesOf(on);
      await on.gateway();
      await enter(on.chat.chatId, other);
      await on.restarted();
      await isStranger(on, { ...on.homePlace, userId: other });
    },
  },
  {
    id: "identity/left",
    proof: "somebody who joins a private home channel after its person left is no operator and sees no handoff",
    homes: PRIVATE,
    async play(on) {
      const other = strangerOf(on);
      const { enter, leave } = abilitiesOf(on);
      const session = await on.terminalSession();
      const gateway = await on.gateway();
      await on.write(on.typed("whoami"));
      await on.until("the operator is told so", () => on.countSaid(OPERATOR) === 1);
      const [recorded] = await gateway.host.store.homePeople.list();
      check(recorded?.person != null, () => `nobody is recorded: ${shown(recorded)}`);
      await enter(on.chat.chatId, other);
      await leave(on.chat.chatId, recorded?.person ?? "");
      const before = on.said().length;
      await isStranger(on, { ...on.homePlace, userId: other });
      await on.restarted();
      await isStranger(on, { ...on.homePlace, userId: other });
      await on.requestHandoff(session);
      const { store } = await on.terminal();
      await on.until("the handoff is refused", async () => {
        return (await store.handoffs.latestOf(session))?.state === "failed";
      });
      checkEqual((await store.handoffs.latestOf(session))?.error?.code, "HOME_PEOPLE_CHANGED", "its reason");
      checkEqual(on.said().length, before, "how many messages the bot wrote");
      const [after] = await store.homePeople.list();
      checkEqual(after?.person, recorded?.person, "who is recorded afterwards");
      checkEqual(after?.present, [other], "who is there by the platform's word");
    },
  },
  {
    id: "identity/passed-on",
    proof: "the new owner of a reused id, such as a phone number, is a stranger, and the former owner is still known",
    async run({ stage, subject }) {
      const { passOn } = subject;
      if (passOn === undefined) throw new NotClaimed("The platform knows people by ids that stay theirs.");
      let stays = "";
      // The id that stays is known only once there is a platform.
      await stage(async (on) => {
        stays = passOn(on.emulator).stays;
      });
      await stage(
        async (on) => {
          const gateway = await on.gateway();
          const place: KitPlace = on.homePlace;
          const first = await on.ask(gateway, place);
          const { other } = passOn(on.emulator);
          await isStranger(on, other);
          checkEqual((await on.ask(gateway, place)).session, first.session, "the session of the former owner");
          await on.restarted();
          await isStranger(on, other);
        },
        { options: { allowedUsers: [stays], homeChannel: undefined } },
      );
    },
  },
]);

/** Writes as somebody, and checks that no turn runs, nothing is said, and a refusal is counted. */
async function isStranger(on: Stage, at: KitPlace & Partial<EmulatedInbound>): Promise<void> {
  const { chatId, threadId, ...more } = at;
  const [counted, turns, said] = [await on.refusals(), on.model.requests.length, on.said().length];
  for (const text of [on.typed("whoami"), "What is the plan?"]) {
    await on.write(text, { chatId, ...(threadId === undefined ? {} : { threadId }) }, more);
  }
  await on.until("the stranger is counted", async () => (await on.refusals()) === counted + 2);
  await on.quiet();
  checkEqual(on.model.requests.length, turns, "how many turns ran");
  checkEqual(on.said().length, said, "how many messages the bot wrote");
}

function strangerOf({ subject }: Stage): string {
  if (subject.stranger === undefined) throw new NotClaimed("The adapter's test names no stranger.");
  return subject.stranger;
}

function abilitiesOf({ emulator }: Stage): Required<Pick<Emulator, "enter" | "leave">> {
  const { enter, leave } = emulator;
  if (!enter || !leave) throw new NotClaimed("Nobody ever enters or leaves its private chats.");
  return { enter: enter.bind(emulator), leave: leave.bind(emulator) };
}
