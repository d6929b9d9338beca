import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { busyError } from "../model/refusals.ts";
import type { Session } from "../model/session.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Command, CommandContext, CommandResult } from "./command.ts";
import { refuseOthers } from "./may-change.ts";
import { type OwnRequest, requestOfNumber, requestsOf } from "./own-requests.ts";
import { takesOnly } from "./parse-command.ts";
import { sessionName } from "./session-list.ts";
import { offerFiles } from "./undo-files.ts";
import { sayAgo } from "./words.ts";

/** How many messages a list has. */
const LISTED = 20;

const STAYS: CommandResult = { reply: "The session stays as it is." };

export const rewindCommand: Command = {
  name: "rewind",
  description: "Take this session back to before one of your messages, with the files that were changed since",
  category: "Session",
  aliases: ["checkpoint", "restore"],
  argumentHint: "[n]",
  async run(place, argument) {
    const session = await place.session();
    const requests = session === null ? [] : await requestsOf(place.store, session.id);
    if (session === null || requests.length === 0) throw new HermesError("SESSION_NOTHING_TO_UNDO", {});
    refuseOthers(place, session);
    await refuseWhileOpen(place, session);
    const [number = "", word = "", ...more] = argument.split(/\s+/);
    if (more.length > 0 || !["", "yes"].includes(word.toLowerCase())) {
      throw takesOnly("rewind", "the number of a message and `yes`, or no argument");
    }
    if (number === "" && place.choose === undefined) return { reply: list(place, requests) };
    const chosen = number === "" ? await choose(place, requests) : requestOfNumber(requests, number);
    if (chosen === null) return STAYS;
    const asked = await isSure(place, chosen, word);
    return asked === true ? takeBack(place, session, chosen) : asked;
  },
};

/** Before anything is asked: the store refuses it, too. */
async function refuseWhileOpen({ store, clock }: CommandContext, { id }: Session): Promise<void> {
  const turn = await store.turns.running(id);
  if (turn?.state !== "running") return;
  throw busyError({ place: await lookUpPlace(store, turn.surface), since: turn.startedAt }, clock.now());
}

function list(place: CommandContext, requests: readonly OwnRequest[]): string {
  const lines = requests.slice(-LISTED).map(({ number, text, at }) => {
    return `- **${number}** ${escapeMarkdown(text)} (${sayAgo(place.clock.now(), at)})`;
  });
  return `${lines.join("\n")}\n\n\`${place.typed("rewind <number>")}\` takes the session back to before one of them.`;
}

async function choose(place: CommandContext, requests: readonly OwnRequest[]): Promise<OwnRequest | null> {
  const newestFirst = requests.toReversed();
  const items = newestFirst.map(({ number, text, at }) => ({
    name: text,
    number,
    facts: sayAgo(place.clock.now(), at),
  }));
  const at = (await place.choose?.("Back to before which message?", items)) ?? null;
  return at === null ? null : (newestFirst[at] ?? null);
}

/** True, or what is said where the person is not, or has to say so first. */
async function isSure(
  place: CommandContext,
  { number, text, behind }: OwnRequest,
  word: string,
): Promise<true | CommandResult> {
  if (word.toLowerCase() === "yes") return true;
  const takes = `This takes back ${count(behind, "message")}, from “${text}” on.`;
  if (place.confirm !== undefined) return (await place.confirm([takes], "Take the session back?")) ? true : STAYS;
  return { reply: `${escapeMarkdown(takes)} If you are sure, write \`${place.typed(`rewind ${number} yes`)}\`.` };
}

async function takeBack(place: CommandContext, session: Session, { seq, text }: OwnRequest): Promise<CommandResult> {
  const { store, surface, requestId: once } = place;
  const before = `before “${escapeMarkdown(text)}”`;
  const where = escapeMarkdown(await lookUpPlace(store, surface));
  const told = {
    kind: "notice",
    markdown: `**${sessionName(session)}** was taken back to ${before}, ${where}.`,
  } as const;
  const undone = await store.turns.rewind({ sessionId: session.id, seq, once, surface, told });
  if (undone === null) throw new HermesError("SESSION_NOTHING_TO_UNDO", {});
  const said = `The session is back to ${before}: ${count(undone.removed, "message")} taken back.`;
  const files = await offerFiles(place, undone);
  return { reply: files === "" ? said : `${said}\n\n${files}` };
}
