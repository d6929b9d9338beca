import { type Conversation, PlatformError, platformErrors, reasonOf } from "@hermes/core";
import { RESTJSONErrorCodes as Code, DiscordAPIError, HTTPError, RateLimitError } from "discord.js";
import { CHANNEL_RIGHTS, COPY_ID, MESSAGE_CONTENT } from "./settings.ts";
import { PLATFORM } from "./source.ts";

const errors = platformErrors(PLATFORM);
const { forbidden, unavailable } = errors;
export const { rejected, unauthorised } = errors;

/** Where something was tried, for the sentences of errors. */
export interface ErrorPlace {
  /** Such as `#general`. */
  readonly name: string;
  readonly isThread: boolean;
  /** Of a thread: others are in its channel. */
  readonly isPrivate?: boolean;
  /** Rights that the bot turns out to lack there, by the names in Discord's settings; empty when that is not known. */
  readonly missingRights: readonly string[];
  /** Rights that what was tried needs. */
  readonly neededRights: readonly string[];
  /** The largest file that is taken there, in bytes. */
  readonly largestFile?: number;
}

/** What Discord's words on a refusal mean, and what a person can do. */
const REFUSALS: Readonly<Record<number, (place: ErrorPlace) => PlatformError>> = {
  [Code.UnknownChannel]: ({ isThread, isPrivate, name }) =>
    isPrivate ? privateThreadGone(name) : isThread ? errors.threadGone() : unknownChannel(name),
  [Code.UnknownMessage]: ({ name }) =>
    errors.notFound(`the message is not in ${name} any more`, "It was deleted there."),
  [Code.MissingAccess]: lackingRights,
  [Code.MissingPermissions]: lackingRights,
  [Code.CannotSendMessagesToThisUser]: () =>
    forbidden(
      "the person takes no direct messages from the bot",
      "They have to allow direct messages from members of a server that the bot shares with them.",
    ),
  [Code.CannotSendAMessageInAForumChannel]: ({ name }) =>
    rejected(`${name} is a forum, and holds posts only`, "Write in one of its posts."),
  [Code.TagRequiredToCreateAForumPostInThisChannel]: ({ name }) =>
    rejected(`every post in ${name} needs a tag`, "Name one with `tag` on `homeChannel`."),
  [Code.ThereAreNoTagsAvailableThatCanBeSetByNonModerators]: ({ name }) =>
    forbidden(`only moderators may set the tags of ${name}`, "Give the bot Manage Threads there, or add another tag."),
  [Code.RequestEntityTooLarge]: ({ name, largestFile }) =>
    rejected(
      `the file is too large for ${name}${largestFile === undefined ? "" : `: up to ${largestFile / 1024 ** 2} MB are taken there`}`,
      "Send a smaller one, or a part of it; a server with a higher boost level takes larger files.",
    ),
  [Code.AccessToFileUploadsHasBeenLimitedForThisGuild]: ({ name }) =>
    rejected(`Discord takes no files in the server of ${name} for now`, "Try again later, or send it elsewhere."),
  [Code.MaximumActiveThreads]: () =>
    rejected("the server has as many active threads as Discord permits", "Close some of its threads."),
  [Code.MaximumActiveAnnouncementThreads]: ({ name }) =>
    rejected(`${name} has as many active threads as Discord permits`, "Close some of its threads."),
  [Code.ThreadLocked]: ({ name }) => forbidden(`${name} is locked`, "Unlock the thread, or write elsewhere."),
  [Code.InvalidActionOnArchivedThread]: ({ name }) =>
    forbidden(`${name} is closed`, "Open the thread again by writing in it."),
  [Code.MessageWasBlockedByAutomaticModeration]: ({ name }) =>
    rejected(`AutoMod of the server holds the message back in ${name}`, "Exempt the bot's role from that rule."),
  [Code.TitleWasBlockedByAutomaticModeration]: () =>
    rejected("AutoMod of the server refuses the title", "Choose another with /title, or exempt the bot's role."),
};

/** A place of which nothing is known but what it was called. */
export function unseen(name: string, { threadId, isPrivate }: Partial<Conversation> = {}): ErrorPlace {
  return {
    name,
    isThread: threadId !== undefined,
    isPrivate: isPrivate === true,
    missingRights: ["View Channel"],
    neededRights: ["View Channel"],
  };
}

const NOWHERE: ErrorPlace = { name: "the chat", isThread: false, missingRights: [], neededRights: [] };

/**
 * What was thrown while Discord was asked for something, as Hermes' error. Holds neither token nor body. `mayBeDone`: whether
 * it may have been done where its answer was lost, and must not be called undone. A send need not say so: it is found again.
 */
export function toPlatformError(
  thrown: unknown,
  place: ErrorPlace = NOWHERE,
  { mayBeDone = false } = {},
): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  if (thrown instanceof RateLimitError) return limitedFor(Math.max(thrown.retryAfter, thrown.timeToReset));
  if (thrown instanceof DiscordAPIError) return refusalOf(thrown, place);
  if (thrown instanceof HTTPError)
    return errors.serverFailed(thrown.status, {
      reason: `it answered with the status ${thrown.status}`,
      mayBeDone,
      cause: thrown,
    });
  const reason = reasonOf(thrown);
  // discord.js drops its token when Discord does not take it, and then refuses to ask at all.
  if (/token (?:was provided|to be set)|invalid token/i.test(reason)) return unauthorised();
  if (thrown instanceof Error && thrown.name === "AbortError") {
    return errors.uncertain("it did not answer in time", { cause: thrown });
  }
  return (mayBeDone ? errors.uncertain : unavailable)(reason, { cause: thrown });
}

/** Whether Discord took the request and said no: nothing was done. */
export function isRefusal(thrown: unknown): boolean {
  return thrown instanceof DiscordAPIError || thrown instanceof RateLimitError;
}

/** Discord's own code for what went wrong; null when it named none. */
export function codeOf(thrown: unknown): number | null {
  return thrown instanceof DiscordAPIError ? Number(thrown.code) : null;
}

function refusalOf(error: DiscordAPIError, place: ErrorPlace): PlatformError {
  if (error.status === 401) return unauthorised();
  if (error.status === 429) return limitedFor(Number(Object(error.rawError).retry_after ?? 1) * 1000);
  const known = REFUSALS[Number(error.code)];
  if (known) return known(place);
  if (error.status === 403) return lackingRights(place);
  return rejected(`${reasonOf(error)} (code ${error.code})`, "See the log, then try again.");
}

export function lackingRights({ name, missingRights, neededRights }: ErrorPlace): PlatformError {
  const what =
    missingRights.length > 0
      ? `the bot lacks ${listed(missingRights)} in ${name}`
      : `the bot may not do that in ${name}; it needs ${listed(neededRights)} there`;
  return forbidden(what, CHANNEL_RIGHTS);
}

export function unknownChannel(name: string): PlatformError {
  return errors.notFound(`there is no ${name} that the bot can see`, COPY_ID);
}

/** What was said among a few is not said to all in the channel: it goes nowhere by itself. */
function privateThreadGone(channel: string): PlatformError {
  return errors.notFound(
    `the private thread in ${channel} is gone`,
    "Go on with the session in another place: /resume there, or `hermes resume` in the terminal.",
  );
}

export function notConnected(): PlatformError {
  return unavailable("the bot is not connected");
}

/** Close code 4014 of the gateway. */
export function intentsAreOff(): PlatformError {
  return forbidden("the bot may not read messages: its Message Content Intent is off", MESSAGE_CONTENT);
}

function limitedFor(ms: number): PlatformError {
  return errors.rateLimited(Math.max(0, Math.ceil(ms)));
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
