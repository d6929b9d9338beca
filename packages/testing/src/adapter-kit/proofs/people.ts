import { check, checkEqual, shown } from "../check.ts";
import { HOLDING_MESSAGES, type KitProof, NotClaimed } from "../proof.ts";

const RULE = "Who is addressed, and who writes";

/** Milliseconds by which a message's time may differ from the machine's. */
const TOLERANCE_MS = 10 * 60_000;

export const peopleProofs: readonly KitProof[] = [
  {
    id: "people/addressed",
    rule: RULE,
    proof: "in a group the bot answers messages that mention it, and none that people write to each other",
    async play(on) {
      const group = on.otherGroup;
      if (group === null) throw new NotClaimed("There is no group beside the home channel");
      const { tap } = await on.gateway();
      await on.write("Shall we have lunch?", group);
      await on.write("Are you there?", group, { mentions: true });
      await on.until("the mention is answered", () => on.model.requests.length > 0);
      await on.quiet();
      checkEqual(on.model.requests.length, 1, "how many turns ran");
      const chatter = tap.received.filter(({ text }) => text.includes("lunch"));
      check(!chatter.some(({ isAddressed }) => isAddressed), "what people say to each other is marked as addressed");
    },
  },
  {
    id: "people/ids",
    rule: RULE,
    proof: "people are allowed by id: nobody gets in by taking a name, or is kept out by changing theirs",
    stage: { options: ({ people }) => ({ allowedUsers: [people[0]?.id ?? ""] }) },
    async play(on) {
      const [first, second] = on.emulator.people;
      if (first === undefined) throw new NotClaimed("The emulator has no people");
      const { id: allowed, name } = first;
      const userId = on.subject.stranger ?? second?.id;
      if (userId === undefined) throw new NotClaimed("Nobody else can write there");
      const impostors = [name, allowed, `${name} (${allowed})`];
      // On a platform with only private chats, a stranger writes in their own.
      const group = on.otherGroup ?? on.homePlace;
      await on.gateway();
      for (const [index, userName] of impostors.entries()) {
        await on.write("Let me in.", group, { userId, userName, mentions: true });
        await on.until(`somebody who is called ${shown(userName)} is refused`, async () => {
          check(on.model.requests.length === 0, () => `somebody who is called ${shown(userName)} was let in`);
          return (await on.refusals()) > index;
        });
      }
      await on.write("It is me.", group, { userId: allowed, userName: "Another Name", mentions: true });
      await on.until("the person who is allowed is answered under another name", () => {
        return on.model.requests.length > 0;
      });
    },
  },
  {
    id: "people/time",
    rule: "Guarantee: times are milliseconds since 1970",
    proof: "incoming messages and receipts of sent ones have the current time, in milliseconds",
    async play(on) {
      const { tap, adapter } = await on.gateway();
      await on.write("It is late.");
      // An answer may wait: one whose time is wrong is taken for a message that comes late.
      await on.until("the message arrives", () => tap.received.length > 0);
      const at = await adapter.homeConversation(on.home.home);
      const receipt = await adapter.send(at, on.piece("What time is it?"), on.sendOptions("key-1"));
      const times = [...tap.received.map(({ sentAt }) => sentAt), receipt.sentAt];
      for (const time of times) {
        check(Math.abs(time - Date.now()) < TOLERANCE_MS, () => `it is ${Date.now()}, and a message says ${time}`);
      }
    },
  },
  {
    id: "people/mentions",
    rule: "What the model writes notifies nobody",
    proof: "mentions in an answer stay plain text: they notify neither everybody nor one person",
    homes: HOLDING_MESSAGES,
    async play(on) {
      await on.gateway();
      const [person] = on.emulator.people;
      const { id = "1", name = "Ada" } = person ?? {};
      const everybody = ["@everyone", "@here", "@all", "@room", "@channel", "@**all**", "<!channel>", "<!here>"];
      const one = [`<@${id}>`, `<@!${id}>`, `@**${name}**`, `[${name}](tg://user?id=${id})`, "<!subteam^S1>"];
      const answer = `Dear all: ${[...everybody, ...one].join(" and ")} should know.`;
      on.model.push(answer);
      await on.write("Tell them.");
      await on.until("the answer arrives", () => on.said().some((text) => text.includes("should know")));
      await on.quiet();
      const messages = on.botMessages();
      if (messages.some(({ notifies }) => notifies === undefined)) {
        throw new NotClaimed("The emulator does not tell whom a message notifies");
      }
      const notified = messages.flatMap(({ notifies = [] }) => notifies);
      checkEqual(notified, [], "whom the answer notified");
      check(on.said().join(" ").includes("everyone"), "the words of a mention are lost");
    },
  },
];
