import { type Capabilities, type PlatformAdapter, type ShownTurn, textFile } from "@hermes/core";
import { renderedMessage } from "@hermes/core/internal";
import { check, checkEqual, shown } from "../check.ts";
import type { LiveGateway } from "../machine.ts";
import { type AdapterProof, type HomeFilter, type KitProof, NotClaimed, WITH_THREADS } from "../proof.ts";
import type { Stage } from "../stage.ts";
import { ABILITIES, type Ability } from "../subject.ts";

const RULE = "Capabilities are claims";

type Claim = Exclude<keyof Capabilities, "textLimit"> | Ability;

/** The claimed value of a capability; for an ability, whether the method exists. */
function claimOf(adapter: PlatformAdapter, name: Claim | "textLimit"): unknown {
  const ability = ABILITIES.find((one) => one === name);
  return ability ? adapter[ability] !== undefined : Reflect.get(adapter.capabilities, name);
}

/** Makes the proofs of a capability: `absent` runs if it is not claimed, `claimed` if it is. */
function claim(
  name: Claim,
  proof: string,
  show: {
    absent?(on: Stage): void | Promise<void>;
    claimed(on: Stage, running: LiveGateway): Promise<void>;
  },
  homes?: HomeFilter,
): AdapterProof {
  return {
    id: `claims/${name}`,
    rule: RULE,
    proof,
    async run(kit) {
      let isClaimed = false;
      await kit.stage(async (on) => {
        const { adapter } = await on.gateway();
        isClaimed = claimOf(adapter, name) !== false;
        if (!isClaimed) await show.absent?.(on);
      });
      const notThere = show.absent ? ", and what would do it is not there" : "";
      if (!isClaimed) throw new NotClaimed(`It does not claim \`${name}\`${notThere}`);
      const play = async (on: Stage) => show.claimed(on, await on.gateway());
      await (homes ? kit.inEachHome(play, homes) : kit.stage(play));
    },
  };
}

export const capabilityProofs: readonly KitProof[] = [
  {
    id: "claims/all",
    rule: RULE,
    proof: "the adapter claims exactly what its subject says",
    async play(on) {
      const { adapter } = await on.gateway();
      checkEqual(adapter.platform, on.subject.name, "the platform of the adapter");
      const wanted = Object.entries(on.subject.capabilities ?? {});
      for (const [name, value] of wanted) {
        checkEqual<unknown>(claimOf(adapter, name as Claim), value, `the claim \`${name}\``);
      }
      const { textLimit, edits } = adapter.capabilities;
      check(textLimit.length > 0, "the text limit is none");
      check(edits === false || edits.minIntervalMs >= 0, "the interval of edits is negative");
      check(edits === false || (edits.forMs ?? 1) > 0, "the time for edits is none");
    },
  },
  claim(
    "threads",
    "a thread can be opened in a home channel that has threads",
    {
      async absent(on) {
        const { adapter } = on.running;
        for (const { home, threads, name } of on.homes) {
          checkEqual(threads, false, `whether ${name} has threads`);
          const { chatId } = await adapter.homeConversation(home);
          checkEqual(await adapter.createHandoffThread(chatId, "A plan", on.threadOptions()), null, "the thread");
        }
      },
      async claimed(on) {
        check((await on.openThread("A plan", "mark-1")) !== null, "no thread was opened");
      },
    },
    WITH_THREADS,
  ),
  claim("edits", "a sent message can be edited in place", {
    absent(on) {
      checkEqual(typeof on.running.adapter.edit, "undefined", "what `edit` is");
    },
    async claimed(on, { adapter }) {
      const at = await adapter.homeConversation(on.home.home);
      const { messageId } = await adapter.send(at, on.piece("One."), on.sendOptions("key-1"));
      await adapter.send(at, on.piece("Another."), on.sendOptions("key-2"));
      check(adapter.edit !== undefined, "there is no `edit`");
      await adapter.edit(at, messageId, on.piece("One, two."), on.sendOptions("key-3"));
      // The same edit again, as after a crash.
      await adapter.edit(at, messageId, on.piece("One, two."), on.sendOptions("key-3"));
      const [first, second, ...more] = on.botMessages();
      check(
        first?.text.trim() === "One, two." && second?.text.trim() === "Another.",
        () => `it reads ${shown(on.said())}`,
      );
      checkEqual(first.isEdited, true, "whether the message is edited");
      checkEqual(more.length, 0, "how many further messages there are");
    },
  }),
  claim("typing", "a typing indicator reaches the platform", {
    async claimed(on, { adapter }) {
      const at = await adapter.homeConversation(on.home.home);
      // A typing sign is not kept for clients that connect later.
      await on.until("the platform is connected", () => on.emulator.isConnected);
      const before = on.emulator.log.length;
      await adapter.typing?.(at, AbortSignal.timeout(on.patienceMs));
      await on.until("the platform is asked", () => on.emulator.log.length > before);
    },
  }),
  claim("files", "a text file arrives as a file with its name", {
    async absent(on) {
      const { adapter } = on.running;
      const pieces = renderedMessage(adapter, { kind: "answer", markdown: "Here.", files: [FILE] });
      check(!pieces.some(({ file }) => file !== undefined), "a file is rendered where none can be sent");
    },
    async claimed(on, { adapter }) {
      const at = await adapter.homeConversation(on.home.home);
      const pieces = renderedMessage(adapter, { kind: "answer", markdown: "Here it is.", files: [FILE] });
      for (const [index, each] of pieces.entries()) await adapter.send(at, each, on.sendOptions(`key-${index}`, each));
      const names = on.botMessages().flatMap(({ fileNames }) => fileNames);
      checkEqual(names, [FILE.name], "the files that arrived");
      check(
        on.said().some((text) => text.includes("Here it is")),
        "what was said with the file is missing",
      );
    },
  }),
  claim("idempotentSend", "sending twice with the same key gives one message and the same receipt", {
    async claimed(on, { adapter }) {
      const at = await adapter.homeConversation(on.home.home);
      const first = await adapter.send(at, on.piece("Once."), on.sendOptions("key-1"));
      const second = await adapter.send(at, on.piece("Once."), on.sendOptions("key-1"));
      checkEqual(second.messageId, first.messageId, "the message id of the second send");
      await adapter.send(at, on.piece("Once."), on.sendOptions("key-2"));
      checkEqual(on.said().length, 2, "how many messages two keys make");
    },
  }),
  claim(
    "findThread",
    "a thread is found by its mark, even by another process, and no other thread is",
    {
      async claimed(on) {
        const thread = await on.openThread("A plan", "mark-1");
        const gateway = await on.restarted();
        const find = (mark: string) =>
          gateway.adapter.findThread?.(on.home.home, mark, AbortSignal.timeout(on.patienceMs));
        const found = await find("mark-1");
        const keyOf = (one: typeof thread | undefined) => one && gateway.adapter.buildSessionKey(one.conversation);
        checkEqual(keyOf(found), keyOf(thread), "the key of the thread that was found");
        checkEqual(await find("mark-2"), null, "what was found under a mark that no thread has");
      },
    },
    WITH_THREADS,
  ),
  claim("findSent", "a message is found by its key, even by another process, and no other message is", {
    async claimed(on, { adapter }) {
      const at = await adapter.homeConversation(on.home.home);
      const sent = await adapter.send(at, on.piece("Find me."), on.sendOptions("key-1"));
      const gateway = await on.restarted();
      const find = (key: string) => gateway.adapter.findSent?.(at, key, AbortSignal.timeout(on.patienceMs));
      checkEqual((await find("key-1"))?.messageId, sent.messageId, "the message that was found");
      checkEqual(await find("key-2"), null, "what was found under a key that no message has");
    },
  }),
  claim(
    "deleteThread",
    "an opened thread can be removed",
    {
      async claimed(on, { adapter }) {
        const before = on.threadIds();
        const left = on.botMessages(on.chat).length;
        const thread = await on.openThread("A plan", "mark-1");
        check(thread !== null, "no thread was opened");
        await adapter.deleteThread?.(thread, AbortSignal.timeout(on.patienceMs));
        checkEqual(on.threadIds(), before, "the threads that are there");
        checkEqual(on.botMessages(on.chat).length, left, "how many messages are left in the chat");
      },
    },
    WITH_THREADS,
  ),
  claim(
    "deleteMessage",
    "a person's message in a private chat is deleted, and no other message",
    {
      async claimed(on, { adapter, tap }) {
        await on.subject.permitDeletion?.(on.emulator, on.homePlace.chatId);
        const there = () =>
          on.emulator
            .messages(on.homePlace.chatId, on.homePlace.threadId)
            .filter(({ text }) => /^(?:This|That)\.$/.test(text));
        for (const text of ["This.", "That."]) {
          await on.emulator.receive({ ...on.homePlace, text });
          await on.until("the message arrives", () => tap.received.some((message) => message.text === text));
        }
        const sent = tap.received.find(({ text }) => text === "This.");
        check(sent !== undefined, "the message did not arrive");
        for (const _ of ["once", "again"]) {
          await adapter.deleteMessage?.(sent.conversation, sent.messageId, AbortSignal.timeout(on.patienceMs));
        }
        await on.until("the message is deleted", () => there().length < 2);
        checkEqual(
          there().map(({ text }) => text),
          ["That."],
          "what is left",
        );
      },
    },
    { fitting: ({ kind }) => kind === "dm", wanted: "that is a private chat" },
  ),
  claim("lateRefusal", "a late refusal or confirmation of a message reaches Hermes", {
    async claimed(on, { adapter, tap }) {
      const { refuseLate } = on.subject;
      check(refuseLate !== undefined, "the adapter's test has no `refuseLate`, so the claim has no proof");
      const at = await adapter.homeConversation(on.home.home);
      await refuseLate(on.emulator);
      const { messageId } = await adapter.send(at, on.piece("Too late."), on.sendOptions("key-1"));
      await on.until("the refusal reaches Hermes", () =>
        tap.settled.some((word) => word.messageId === messageId && word.refusal !== null),
      );
    },
  }),
  claim("mirrors", "messages from other places are shown with their author", {
    async claimed(on, { adapter }) {
      const at = await adapter.homeConversation(on.home.home);
      const pieces = renderedMessage(adapter, {
        kind: "echo",
        author: "user",
        place: "in the terminal",
        markdown: "Said there.",
      });
      for (const [index, each] of pieces.entries()) await adapter.send(at, each, on.sendOptions(`key-${index}`, each));
      const shownThere = on.emulator.messages(on.homePlace.chatId, on.homePlace.threadId).map(({ text }) => text);
      check(
        shownThere.some((text) => text.includes("Said there.")),
        () => `it reads ${shown(shownThere)}`,
      );
    },
  }),
  claim("showCalls", "tool calls are shown beside the messages, and none becomes a message", {
    async claimed(on, { adapter }) {
      const at = await adapter.homeConversation(on.home.home);
      const before = on.said();
      adapter.showCalls?.(at, HOSTILE_TURN);
      adapter.showCalls?.({ ...at, threadId: "gone" }, HOSTILE_TURN);
      adapter.showCalls?.(at, { ...HOSTILE_TURN, isOpen: false });
      adapter.showCalls?.(at, null);
      adapter.showCalls?.(at, null);
      await on.quiet();
      checkEqual(on.said(), before, "what the bot has said");
      checkEqual(on.running.health().state, "up", "the health after them");
    },
  }),
];

const HOSTILE_TEXT = "<b>@everyone</b> `*_[x](javascript:1)\u202e\u0000\ud800";
const HOSTILE_TURN: ShownTurn = {
  turnId: "tur_kit",
  isOpen: true,
  calls: (["waits", "runs", "done", "failed", "not-run"] as const).map((state, at) => ({
    ...{ id: `1.${at}`, name: HOSTILE_TEXT, summary: HOSTILE_TEXT, state, beganAt: null, endedAt: null },
    outcome: { kind: "diff", lines: Array<string>(500).fill(`+${HOSTILE_TEXT}`), folded: 1 },
  })),
};
const FILE = textFile("notes.md", "text/markdown", "# Notes\n\nOne & two.\n");
