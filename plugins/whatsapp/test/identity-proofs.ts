import { type AdapterProof, check, checkEqual, type ProofContext, type Stage } from "@hermes/testing";
import { CLOUD_CHATS, type WhatsAppCloudEmulator } from "../emulator/index.ts";

const RULE = "Guarantee: nobody is taken for somebody else";

/** The person's number now, one that was theirs before, and whoever has that by now. */
const NEW = CLOUD_CHATS.ada;
export const FORMER_NUMBER = "15550001111";
const OLD = FORMER_NUMBER;
const STRANGER = "US.9999999999";

let messages = 0;

/** Meta delivers a message that stands in no chat of the emulator. */
function deliver(on: Stage, message: object): void {
  emulatorOf(on).deliver("messages", {
    messages: [{ id: `wamid.raw-${++messages}`, timestamp: String(Math.floor(Date.now() / 1_000)), ...message }],
  });
}

function textFrom(ids: object, body: string): object {
  return { ...ids, type: "text", text: { body } };
}

function emulatorOf({ emulator }: Stage): WhatsAppCloudEmulator {
  return emulator as WhatsAppCloudEmulator;
}

/** All that was sent: to whom, and what. */
function sent(on: Stage): { readonly to?: string; readonly recipient?: string; readonly text?: { body: string } }[] {
  return on.emulator.log.filter(({ method }) => method === "POST messages").map(({ body }) => Object(body));
}

function tellNumberChanged(on: Stage): void {
  const system = { type: "user_changed_number", wa_id: NEW, user_id: emulatorOf(on).world.person(NEW).userId };
  deliver(on, { from: OLD, type: "system", system });
}

/** Who writes with these ids is a stranger: counted, not answered, and the model hears nothing. */
async function isStranger(on: Stage, ids: object): Promise<void> {
  const refused = () => on.running.host.store.users.refused("whatsapp", undefined);
  const [counted, turns, said] = [await refused(), on.model.requests.length, sent(on).length];
  deliver(on, textFrom(ids, "/whoami"));
  deliver(on, textFrom(ids, "What did we talk about?"));
  await on.until("the stranger is counted", async () => (await refused()) === counted + 2);
  await on.quiet();
  checkEqual(on.model.requests.length, turns, "how many turns ran");
  checkEqual(sent(on).length, said, "how many messages were sent");
}

async function isOperator(on: Stage): Promise<void> {
  const before = on.countSaid("You are the operator");
  await on.write("/whoami");
  await on.until("the operator is told so", () => on.countSaid("You are the operator") > before);
}

/** The proof on a stage where the person is named as an allowed user, and on one where the chat is the home channel. */
function eitherWay({ stage }: ProofContext, work: (on: Stage) => Promise<void>): Promise<void> {
  const named = { homeChannel: undefined, allowedUsers: [NEW] };
  return stage(work, { options: { allowedUsers: [] } }).then(() => stage(work, { options: named }));
}

/** Ways to become somebody that only this platform has. */
export const identityProofs: readonly AdapterProof[] = [
  {
    id: "identity/number-left",
    rule: RULE,
    proof: "who takes over a number that somebody has left, as a system message tells, is a stranger",
    run: (kit) =>
      eitherWay(kit, async (on) => {
        const gateway = await on.gateway();
        await on.ask(gateway);
        tellNumberChanged(on);
        await on.ask(gateway);
        await isStranger(on, { from: OLD, from_user_id: STRANGER });
        await isStranger(on, { from: OLD });
        await on.ask(gateway);
        await on.restarted();
        await isStranger(on, { from: OLD, from_user_id: STRANGER });
      }),
  },
  {
    id: "identity/number-shared",
    rule: RULE,
    proof: "two hidden ids that come with one number are two people: the second sees nothing of the first",
    async run({ stage }) {
      const [first, second] = ["US.1111111111", STRANGER];
      await stage(
        async (on) => {
          await on.gateway();
          on.model.push("A secret plan.");
          deliver(on, textFrom({ from: NEW, from_user_id: first }, "What is the plan?"));
          await on.until("the first one is answered", () => on.countSaid("A secret plan.") === 1);
          await isStranger(on, { from: NEW, from_user_id: second });
          await isStranger(on, { from_user_id: second });
          on.model.push("It goes on.");
          deliver(on, textFrom({ from_user_id: first }, "And now?"));
          await on.until("the first one is asked for", () => on.model.requests.length === 2);
          const texts = on.model.requests[1]?.messages.map(({ text }) => text).join("\n") ?? "";
          check(texts.includes("A secret plan."), "the first one's conversation was lost");
          await on.until("it is sent", () => sent(on).some(({ recipient }) => recipient === first));
        },
        { options: { homeChannel: undefined, allowedUsers: [first] } },
      );
    },
  },
  {
    id: "identity/number-named",
    rule: RULE,
    proof: "a number that the config names grants nothing to who takes it over from somebody else",
    run: ({ stage }) =>
      stage(
        async (on) => {
          const gateway = await on.gateway();
          await on.ask(gateway);
          await isStranger(on, { from: NEW, from_user_id: STRANGER });
        },
        { options: { homeChannel: undefined, allowedUsers: [NEW], operators: [NEW] } },
      ),
  },
  {
    id: "identity/home-number",
    rule: RULE,
    proof: "who takes over the number of the home channel is a stranger there, after a restart too",
    run: ({ stage }) =>
      stage(
        async (on) => {
          await on.gateway();
          await isOperator(on);
          await isStranger(on, { from: NEW, from_user_id: STRANGER });
          await on.restarted();
          await isStranger(on, { from: NEW, from_user_id: STRANGER });
          const [home] = await on.running.host.store.homePeople.list();
          checkEqual([home?.person, home?.word], [NEW, "platform"], "who is recorded");
        },
        { options: { allowedUsers: [] } },
      ),
  },
  {
    id: "identity/answered-where-they-wrote",
    rule: RULE,
    proof: "after a change of number the answer goes to the number that the message came from",
    run: ({ stage }) =>
      stage(
        async (on) => {
          await on.gateway();
          tellNumberChanged(on);
          on.model.push("Here.");
          await on.write("Where are you?");
          await on.until("it is answered", () => sent(on).some(({ text }) => text?.body === "Here."));
          checkEqual([...new Set(sent(on).map(({ to }) => to))], [NEW], "where the answers went");
          await isOperator(on);
        },
        { options: { allowedUsers: [] } },
      ),
  },
  {
    id: "identity/user-id-changed",
    rule: RULE,
    proof: "who gets another hidden id, as a system message without a number tells, stays the same person",
    async run({ stage }) {
      const first = "US.1111111111";
      const work = async (on: Stage) => {
        const emulator = emulatorOf(on);
        emulator.changeUserId(NEW, first);
        emulator.world.person(NEW).hidesNumber = true;
        const gateway = await on.gateway();
        const { session } = await on.ask(gateway);
        emulator.changeUserId(NEW, "US.2222222222");
        checkEqual((await on.ask(gateway)).session, session, "the session after the change");
      };
      await stage(work, { options: { homeChannel: undefined, allowedUsers: [first] } });
      // Also where nothing was ever heard of them before.
      await stage(
        async (on) => {
          const gateway = await on.gateway();
          emulatorOf(on).changeUserId(NEW, first);
          emulatorOf(on).world.person(NEW).hidesNumber = true;
          emulatorOf(on).changeUserId(NEW, "US.2222222222");
          await on.ask(gateway);
        },
        { options: { homeChannel: undefined, allowedUsers: [first] } },
      );
    },
  },
];
