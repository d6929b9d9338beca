import { ABILITIES, type Ability, type AuthorsFiles } from "./subject.ts";

/** What a sentence calls a file that the subject does not name. */
const UNNAMED: Required<AuthorsFiles> = {
  adapter: "the adapter",
  render: "`render`",
  send: "`send`",
  decode: "what decodes messages",
  receive: "what receives",
  emulator: "the emulator",
  subject: "the conformance subject",
};

interface Advice {
  /** What to write; a name in braces is one of `AuthorsFiles`. */
  readonly sentence: string;
  /** The heading of the guide where it is told, as an anchor. */
  readonly section: string;
}

const advise = (section: string, ...sentences: readonly string[]): Advice => ({
  section,
  sentence: sentences.join(" "),
});

const EDITS = "Set `capabilities.edits` and write `edit` in {adapter}.";
const CHOICES =
  "Set `choices` in {adapter}, render the choices of a message in {render}, report each press by `context.choose` in {receive}, and write `press` in {emulator}.";
const FILES =
  "Set `capabilities.files` in {adapter}, add `filePieces(files)` to what {render} returns, upload `options.content` in {send}, and show `files` of the bot's `messages` in {emulator}.";
const ATTACHMENTS =
  "Hand over the files of a message as `attachments`, each with its `download`, in {decode}, and take `files` of what `receive` is given in {emulator}.";
const REPLIES =
  "Set `refersTo` of a message to what it replies to in {decode}, and take `replyTo` of what `receive` is given in {emulator}.";
const MIRRORS = "Set `capabilities.mirrors` in {adapter}, and show messages of the kind `echo` in {render}.";
const SETUP =
  'Write a module `setup`, name it in the manifest (`"setup": "./setup"`), and pass it as `setup: { setup }` in {subject}.';
const CREDENTIAL =
  "Call the option that holds the platform's credential `token`, `secret` or `password`, in the schema and in `options` of {emulator}.";
const LATE_REFUSALS =
  "If the platform takes a message and refuses it afterwards: set `capabilities.lateRefusal` in {adapter}, call `context.settle` in {receive}, and write `refuseLate` in {subject}.";
const REFUSALS = "List the platform's refusals, with the error that each becomes, in `refusals` of {subject}.";
const STRANGER = "Set `stranger` in {subject} to the id of somebody who is not in `allowedUsers`.";
const ENTER =
  "If people can enter and leave a private chat there: write `peopleAt` in {adapter}, `enter` and `leave` in {emulator}, and set `stranger` in {subject}.";

const GROUP = advise("the-emulator", "List a second group that can hold messages in `chats` of {emulator}.");
const THREADS = advise(
  "threads",
  "Set `capabilities.threads` and write `createHandoffThread` in {adapter}, then add a home with `threads: true` to `homes` of {subject}.",
);
const CONNECTION = advise(
  "the-emulator",
  "If the bot keeps a connection that can be lost: let {emulator} play `disconnect` and `break` for `connect`.",
);
const EDITED = advise(
  "the-emulator",
  "Take `editOf` of what `receive` is given in {emulator}, and set `isEdit` in {decode}.",
);
const GROWING = advise("edits", EDITS);

/** What an author writes, and where, so that a proof applies; by its id, or by what stands before the slash. */
const TO_CLAIM: Readonly<Record<string, Advice>> = {
  history: advise(
    "history",
    "If the platform keeps a history and gives up delivering: let `CatchUp` of @hermes/core read it in {receive}, and let {emulator} play `lose` for `deliver`.",
  ),
  choices: advise("choices", CHOICES),
  "choices/stranger": advise("choices", CHOICES, STRANGER),
  "choices/edited": advise("choices", CHOICES, EDITS),
  questions: advise("choices", CHOICES),
  files: advise("files-out", FILES),
  "files/refused": advise("files-out", FILES, REFUSALS),
  attachments: advise("files-in", ATTACHMENTS),
  "living/attachments": advise("files-in", ATTACHMENTS),
  setup: advise("setup", SETUP),
  "setup/wrong-credential": advise("setup", SETUP, CREDENTIAL),
  threads: THREADS,
  "threads/switches": advise(
    "threads",
    "List the settings and rights without which no thread can be opened in `threadSwitches` of {subject}.",
  ),
  "threads/private-gone": advise(
    "threads",
    "If not everybody in a chat can read each of its threads: set `isPrivate` of those conversations in {decode} and in `homeConversation` of {adapter}, and add a home with `isPrivate: true` to `homes` of {subject}.",
  ),
  offers: GROUP,
  places: GROUP,
  people: GROUP,
  "people/ids": advise("the-emulator", "List people in `people` of {emulator}.", STRANGER),
  "people/mentions": advise(
    "the-emulator",
    "Say in `notifies` of each of the bot's `messages` in {emulator} whom it notifies.",
  ),
  "senders/names": advise("files-in", ATTACHMENTS),
  "senders/strangers": advise("prove-it", STRANGER),
  "senders/read": advise(
    "read-receipts",
    "If people see which of their messages were read: write `markRead` in {adapter}, on by an option, and `readReceipts` in {subject}.",
  ),
  "identity/home": advise("people-in-a-chat", "Write `peopleAt` in {adapter}, if the platform says who is in a chat."),
  "identity/second": advise("people-in-a-chat", ENTER),
  "identity/left": advise("people-in-a-chat", ENTER),
  "identity/passed-on": advise(
    "identities",
    "If an id may pass to somebody else: call `deps.identities.note` in {decode}, and write `passOn` in {subject}.",
  ),
  "once/edited": EDITED,
  "once/reconnected": CONNECTION,
  "once/while-away": CONNECTION,
  "living/health": CONNECTION,
  "once/renumbered": advise(
    "renamed-places",
    "If a chat can get another id: call `context.moved` in {receive} before its next message, and write `renumber` in {subject}.",
  ),
  "once/moved-thread": advise(
    "renamed-places",
    "If a thread gets another id when it is renamed or moved: call `context.moved` in {receive} before its next message, and write `moveThread` in {subject}.",
  ),
  links: advise(
    "the-emulator",
    "If the platform shows links behind other words: say in `links` of each of the bot's `messages` in {emulator} which addresses it opens.",
  ),
  "rate/growing": GROWING,
  "sending/grows": GROWING,
  "sending/killed-while-growing": GROWING,
  "sending/edit-lost": GROWING,
  "sending/edit-refused": advise("edits", EDITS, REFUSALS),
  "refusals/offered": advise("calls-and-what-goes-wrong", REFUSALS),
  "refusals/late": advise("late-refusals", LATE_REFUSALS),
  "refusals/told": advise("mirroring", MIRRORS),
  "errors/refused": advise("calls-and-what-goes-wrong", REFUSALS),
  "errors/wrong-token": advise("the-emulator", CREDENTIAL),
  references: advise("replies-and-forwards", REPLIES),
  "references/stranger": advise("replies-and-forwards", REPLIES, STRANGER),
  retracted: advise(
    "deleted-by-people",
    "If people can delete what they wrote, and the bot is told: call `context.retracted` in {receive}, and write `retract` in {emulator}.",
  ),
  "edited/nothing-left": EDITED,
  "edited/files": advise(
    "files-in",
    ATTACHMENTS,
    "Give an edit that has none an empty list, and take `files` of an edit in {emulator}.",
  ),
  unreadable: advise(
    "what-cannot-be-read",
    "Set `unreadable` of a message whose content cannot be handed over in {decode}, and write `sendUnreadable` in {emulator}.",
  ),
  "renewal/place": advise(
    "one-process-at-a-time",
    "If the platform can refuse the cursor that {receive} goes on from: begin anew from where its events end, and write `refusePlace` in {subject}.",
  ),
  "renewal/credentials": advise(
    "one-process-at-a-time",
    "If a sign-in can end while the options allow a new one: sign in again in {receive}, and list in `renewals` of {subject} how it ends.",
  ),
  account: advise(
    "one-process-at-a-time",
    "If a connection ends another one of the same account: ask `context.holdsAccount` before each connection in {receive}, and write `takeOver` in {subject}.",
  ),
  "emulator/judged": advise(
    "prove-it",
    "List recorded calls and answers of the platform, or another client library, in `judges` of {subject}.",
  ),
  "claims/threads": THREADS,
  "claims/edits": GROWING,
  "claims/files": advise("files-out", FILES),
  "claims/choices": advise("choices", CHOICES),
  "claims/mirrors": advise("mirroring", MIRRORS),
  "claims/lateRefusal": advise("late-refusals", LATE_REFUSALS),
  "claims/idempotentSend": advise(
    "a-key-for-each-send",
    "If the platform takes a message with the same key once: set `capabilities.idempotentSend` in {adapter}, and pass `options.key` on in {send}.",
  ),
  "claims/findSent": advise(
    "finding-what-was-sent",
    "If the platform finds a message by a key of the sender's: pass `options.key` on in {send}, and write `findSent` in {adapter}.",
  ),
  "claims/findThread": advise(
    "finding-a-thread",
    "If the platform keeps a mark of a thread: pass `options.mark` on in `createHandoffThread`, and write `findThread`, in {adapter}.",
  ),
  "claims/deleteThread": advise("removing-a-thread", "Write `deleteThread` in {adapter}."),
  "claims/deleteMessage": advise(
    "deleting-a-message",
    "If a bot can delete what people write in a private chat: write `deleteMessage` in {adapter}.",
  ),
  "claims/typing": advise("typing", "Write `typing` in {adapter}."),
  "claims/showCalls": advise(
    "mirroring",
    "If the platform can show more than messages: write `showCalls` in {adapter}, with `capabilities.mirrors`.",
  ),
};

/**
 * Returns the sentence that says what to write, in which file, and where the guide tells of it, for a proof that an
 * adapter does not claim. `files` are those that the subject names.
 */
export function toClaim(id: string, files: AuthorsFiles = {}): string {
  const { sentence, section } = adviceFor(id);
  const named: Readonly<Record<string, string>> = { ...UNNAMED, ...files };
  const filled = sentence.replaceAll(/\{(\w+)\}/g, (all, part: string) => named[part] ?? all);
  return `${filled} See docs/writing-an-adapter.md#${section}.`;
}

function adviceFor(id: string): Advice {
  const [family = "", name = ""] = id.split("/");
  const found = TO_CLAIM[id] ?? TO_CLAIM[family];
  if (found !== undefined) return found;
  if (family === "claims" && ABILITIES.includes(name as Ability))
    return advise("each-ability", `Write \`${name}\` in {adapter}.`);
  return advise("the-emulator", "Let the platform do it in {emulator}, if it can, and the adapter as the rule says.");
}
