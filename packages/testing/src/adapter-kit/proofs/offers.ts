import type { SessionId, UserId } from "@hermes/core/embed";
import type { EmulatedMessage } from "@hermes/emulator";
import { check, checkEqual } from "../check.ts";
import { NotClaimed, proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";

const IN_PRIVATE = {
  fitting: ({ kind, canHoldMessages = true, home, place }: Stage["home"]) =>
    kind === "dm" && canHoldMessages && home.threadId === undefined && place?.threadId === undefined,
  wanted: "that is private",
};

const OFFERED = "Go on here with";

export const offerProofs = proofsOfRule("A press is reported as it was made", [
  {
    id: "offers/taken",
    proof: "a session used elsewhere is offered in its user's private chat, and continued by a press or in words",
    homes: IN_PRIVATE,
    async play(on) {
      const { adapter } = await on.gateway();
      const user = await writer(on);
      if (adapter.choices !== undefined) {
        await goOn(on, await usedElsewhere(on, user, "Sowing"), (question) => press(on, question, "Go on with it"));
      }
      await goOn(on, await usedElsewhere(on, user, "Reaping"), () => on.write(on.typed("continue")));
    },
  },
  {
    id: "offers/refused",
    proof: "a declined offer changes nothing, and nothing is offered in a group",
    homes: IN_PRIVATE,
    async play(on) {
      await on.gateway();
      const user = await writer(on);
      const elsewhere = await usedElsewhere(on, user, "Sowing");
      await offeredBeside(on, "How is it going?");
      await on.write(on.typed("continue no"));
      await on.until("it is left where it is", () => on.countSaid("It stays where it is.") > 0);
      const before = on.countSaid(OFFERED);
      await on.ask(on.running);
      const { store } = await on.terminal();
      checkEqual((await store.transcripts.read(elsewhere)).length, 2, "how many messages the other session has");
      checkEqual(on.countSaid(OFFERED), before, "how often it was offered");
      const group = on.otherGroup;
      if (group === null) throw new NotClaimed("There is no group beside the home channel");
      await usedElsewhere(on, user, "Reaping");
      const asked = on.model.requests.length;
      await on.write("Are you there?", group, { mentions: true });
      await on.until("the mention is answered", () => on.model.requests.length > asked);
      await on.quiet();
      checkEqual(on.countSaid(OFFERED, group), 0, "what is offered in the group");
    },
  },
]);

/** Who writes there to Hermes. */
async function writer(on: Stage): Promise<UserId> {
  await on.ask(on.running);
  const [request] = on.model.requests;
  check(request !== undefined, "no turn ran");
  return request.session.user;
}

/** A session that the person has used in the terminal, while their chat is about to begin another one. */
async function usedElsewhere(on: Stage, user: UserId, title: string): Promise<SessionId> {
  await on.write(on.typed("new"));
  const { store, runner } = await on.terminal();
  await on.until("the chat begins anew", async () => {
    const [latest] = (await store.sessions.list({ visible: { kind: "all" }, limit: 1 })).sessions;
    return latest?.messageCount === 0;
  });
  on.model.push("It is on its way.");
  const { id } = await store.sessions.create({ title, user, origin: "terminal", originChat: null });
  const message = { role: "user", text: "Begin." } as const;
  await runner.run({ sessionId: id, cause: { kind: "terminal" }, surface: "terminal", message, tools: true });
  return id;
}

/** Writes in the fresh chat; returns what offers to go on. */
async function offeredBeside(on: Stage, text: string): Promise<EmulatedMessage | undefined> {
  const before = on.countSaid(OFFERED);
  const answer = `What is ${text}`;
  on.model.push(answer);
  await on.write(text);
  await on.until("it is answered", () => on.countSaid(answer) > 0);
  await on.until("it is offered to go on", () => on.countSaid(OFFERED) > before);
  return on.botMessages().findLast((message) => message.text.includes(OFFERED));
}

async function goOn(
  on: Stage,
  elsewhere: SessionId,
  take: (question: EmulatedMessage | undefined) => Promise<unknown>,
): Promise<void> {
  const { store } = await on.terminal();
  const text = `How is ${elsewhere}?`;
  const question = await offeredBeside(on, text);
  const answer = `Done: ${elsewhere}.`;
  on.model.push(answer);
  await take(question);
  await on.until("what was written is answered there", () => on.countSaid(answer) > 0);
  await on.until("the answer is kept", async () => (await store.transcripts.read(elsewhere)).length >= 4);
  const said = (await store.transcripts.read(elsewhere)).map((message) => message.text);
  checkEqual(said, ["Begin.", "It is on its way.", text, answer], "what the session holds");
}

async function press(on: Stage, message: EmulatedMessage | undefined, label: string): Promise<void> {
  const { emulator } = on;
  check(emulator.press !== undefined, "the adapter renders choices, and its emulator lets nobody press one");
  await emulator.press({ ...on.homePlace, messageId: message?.id ?? "", label });
}
