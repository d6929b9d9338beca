import { ABILITIES, type Ability } from "./subject.ts";

const SUBJECT = "in the conformance subject";
const EMULATOR = "in the emulator";
const ADAPTER = "in the adapter";

const GROUP = `List a second group that can hold messages in \`chats\` ${EMULATOR}.`;
const STRANGER = `Set \`stranger\` ${SUBJECT} to the id of somebody who is not in \`allowedUsers\`.`;
const THREADS = `Set \`capabilities.threads\` and write \`createHandoffThread\` ${ADAPTER}, then a home with \`threads: true\` in \`homes\` ${SUBJECT}.`;
const EDITS = `Set \`capabilities.edits\` and write \`edit\` ${ADAPTER}.`;
const CHOICES = `Write \`choices\` ${ADAPTER}, render them in \`render\`, and report a press by \`events.choose\`.`;
const FILES = `Set \`capabilities.files\` ${ADAPTER}, render \`file\` pieces in \`render\`, and upload \`options.content\` in \`send\`.`;
const MIRRORS = `Set \`capabilities.mirrors\`, and show \`echo\` messages in \`render\` ${ADAPTER}.`;
const HISTORY = `Let \`CatchUp\` of @hermes/core read the platform's history ${ADAPTER}, and let the emulator play \`lose\` for \`deliver\`.`;
const SETUP = `Write a module \`setup\`, name it in the manifest (\`"setup": "./setup"\`), and pass it as \`setup: { setup }\` ${SUBJECT}.`;
const REFUSALS = `List the platform's refusals, with the error that each becomes, in \`refusals\` ${SUBJECT}.`;
const CREDENTIAL = `Call the option that holds the platform's credential \`token\`, \`secret\` or \`password\`, in the schema and in \`options\` ${EMULATOR}.`;

/** What an author writes, and where, so that a proof applies; by its id, or by what stands before the slash. */
const TO_CLAIM: Readonly<Record<string, string>> = {
  history: HISTORY,
  choices: CHOICES,
  "choices/stranger": `${CHOICES} ${STRANGER}`,
  "choices/edited": `${CHOICES} ${EDITS}`,
  questions: CHOICES,
  files: FILES,
  "files/refused": `${FILES} ${REFUSALS}`,
  setup: SETUP,
  "setup/wrong-credential": `${SETUP} ${CREDENTIAL}`,
  threads: THREADS,
  "threads/switches": `List the settings and rights without which no thread can be opened in \`threadSwitches\` ${SUBJECT}.`,
  offers: GROUP,
  places: GROUP,
  people: GROUP,
  "people/ids": `List people in \`people\` ${EMULATOR}. ${STRANGER}`,
  "people/mentions": `Say in \`notifies\` of each of the bot's \`messages\` ${EMULATOR} whom it notifies.`,
  "senders/names": GROUP,
  "senders/strangers": STRANGER,
  "identity/home": `Write \`peopleAt\` ${ADAPTER}, where the platform says who is in a chat.`,
  "identity/second": STRANGER,
  "identity/left": `Write \`peopleAt\` ${ADAPTER}, and \`enter\` and \`leave\` ${EMULATOR}.`,
  "identity/passed-on": `Call \`identities.note\` ${ADAPTER}, and write \`passOn\` ${SUBJECT}.`,
  "once/renumbered": `Call \`events.moved\` ${ADAPTER} when a chat gets another id, and write \`renumber\` ${SUBJECT}.`,
  "links/schemes": `Say in \`links\` of each of the bot's \`messages\` ${EMULATOR} which addresses it opens.`,
  "rate/growing": EDITS,
  "sending/grows": EDITS,
  "sending/killed-while-growing": EDITS,
  "sending/edit-refused": `${EDITS} ${REFUSALS}`,
  "refusals/offered": REFUSALS,
  "refusals/told": MIRRORS,
  "errors/refused": REFUSALS,
  "errors/wrong-token": CREDENTIAL,
  "references/stranger": `${GROUP} ${STRANGER}`,
  "retracted/waiting": `Call \`events.retracted\` ${ADAPTER}, and write \`retract\` ${EMULATOR}.`,
  "unreadable/told": `Set \`unreadable\` on what cannot be handed over ${ADAPTER}, and write \`sendUnreadable\` ${EMULATOR}.`,
  "renewal/place": `Write \`refusePlace\` ${SUBJECT}, where the platform hands out a place in its events to go on from.`,
  "renewal/credentials": `List in \`renewals\` ${SUBJECT} how a sign-in ends while the options allow a new one.`,
  "emulator/judged": `List recorded calls and answers of the platform, or another client library, in \`judges\` ${SUBJECT}.`,
  "account/asked-for": `Ask \`events.holdsAccount\` before each new connection ${ADAPTER}, and write \`takeOver\` ${SUBJECT}.`,
  "claims/threads": THREADS,
  "claims/edits": EDITS,
  "claims/files": FILES,
  "claims/choices": CHOICES,
  "claims/mirrors": MIRRORS,
  "claims/lateRefusal": `Set \`capabilities.lateRefusal\` and call \`events.settle\` ${ADAPTER}; write \`refuseLate\` ${SUBJECT}.`,
  "claims/idempotentSend": `Set \`capabilities.idempotentSend\` ${ADAPTER}, if the platform takes a message with the same \`key\` once.`,
};

/** Returns the sentence that says what to write, and where, for a proof that an adapter does not claim. */
export function toClaim(id: string): string {
  const [family = "", name = ""] = id.split("/");
  const found = TO_CLAIM[id] ?? TO_CLAIM[family];
  if (found !== undefined) return found;
  if (family === "claims" && ABILITIES.includes(name as Ability)) return `Write \`${name}\` ${ADAPTER}.`;
  return `Let the platform do it ${EMULATOR}, if it can, and the adapter as the rule says.`;
}
