import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { countedBy, LIMIT_SCOPES, limitText, subjectOf } from "../model/limit.ts";
import type { Session, SessionId } from "../model/session.ts";
import { dayOf, type LastUsage, sentTokens, type UsageBy, type UsageFilter } from "../model/usage.ts";
import { tokensText, usageText } from "../model/usage-text.ts";
import { reachedLimit } from "../store/reached-limit.ts";
import type { Command, CommandContext } from "./command.ts";
import { mayChange } from "./may-change.ts";
import { sessionName } from "./session-list.ts";
import { USAGE_BY, usageGroups, usageTable } from "./usage-groups.ts";
import { sayAgo } from "./words.ts";

const DAY_MS = 24 * 60 * 60_000;
const LATEST_DAYS = 30;
const MOST_ROWS = 20;

export const usageCommand: Command = {
  name: "usage",
  description: "Show the tokens and the cost of this session and of today",
  category: "Info",
  aliases: ["cost", "stats"],
  argumentHint: "[turn|session|day|person|model|more]",
  immediate: true,
  async run(place, argument) {
    const wanted = argument.trim().toLowerCase();
    if (wanted === "more") return { reply: await allowMore(place) };
    if (wanted === "") return { reply: (await overviewLines(place)).join("\n\n") };
    const by = USAGE_BY.find((one) => one === wanted);
    if (!isPrivate(place))
      return { reply: "Tables of usage are shown in private chats only, where nobody else reads them." };
    if (by === undefined)
      return { reply: `Usage is shown by ${USAGE_BY.slice(0, -1).join(", ")} or ${USAGE_BY.at(-1)}.` };
    return { reply: await tableOf(place, by) };
  },
};

/** Allows the same again of each limit that is reached here: for whoever writes, and for whose session it is. */
async function allowMore(place: CommandContext): Promise<string> {
  const { store, limits = {}, isOperator, requestId } = place;
  if (!isOperator) return "Only an operator may allow more.";
  const session = await place.session();
  const allowed: string[] = [];
  for (const person of new Set([place.user, session?.user ?? place.user])) {
    const request = { session: session?.id ?? NO_SESSION, person, day: dayOf(place.clock.now()) };
    for (const scope of LIMIT_SCOPES) {
      const reached = await reachedLimit(store, { [scope]: limits[scope] }, request);
      if (reached === null) continue;
      const { text, upTo, raise } = reached;
      await store.usage.raise(raise, requestId === undefined ? null : `${requestId} ${raise.subject}`);
      allowed.push(`Beyond ${escapeMarkdown(text)}, up to ${escapeMarkdown(upTo)} may be used now.`);
    }
  }
  if (allowed.length === 0) return "No limit is reached here.";
  return `${allowed.join("\n")}\n\`${place.typed("retry")}\` asks your last message again.`;
}

/** No session has this id: its limit is never reached. */
const NO_SESSION = "" as SessionId;

/** Others do not read what is said there. */
function isPrivate({ surface, sender }: CommandContext): boolean {
  return surface === "terminal" || sender !== undefined;
}

/** What a person may see of what others used: only operators see all. */
function seenBy({ isOperator, user }: CommandContext): UsageFilter {
  return isOperator ? {} : { person: user };
}

async function overviewLines(place: CommandContext): Promise<string[]> {
  const { store, clock, user, isOperator } = place;
  const session = await place.session();
  const lines = session === null ? ["No session yet: nothing was used in it."] : [await sessionLines(place, session)];
  if (!isPrivate(place)) return lines;
  const day = dayOf(clock.now());
  const since = clock.now() - LATEST_DAYS * DAY_MS;
  const [mine, all, latest] = await Promise.all([
    store.usage.sum({ day, person: user }),
    store.usage.sum({ day, ...seenBy(place) }),
    store.usage.sum({ since, ...seenBy(place) }),
  ]);
  const today = [`- by you, today: ${usageText(mine)}`];
  if (isOperator && all.requests > mine.requests) today.push(`- by everybody, today: ${usageText(all)}`);
  const whose = isOperator ? "by everybody" : "by you";
  today.push(`- ${whose}, in ${LATEST_DAYS} days: ${usageText(latest)}`);
  return [...lines, [...today, ...(await limitLines(place, session))].join("\n")];
}

/** The limits that hold for whoever writes here, and how much of each is used. */
async function limitLines(place: CommandContext, session: Session | null): Promise<string[]> {
  const { store, limits = {}, isOperator, user, clock } = place;
  const request = { session: session?.id ?? NO_SESSION, person: user, day: dayOf(clock.now()) };
  const lines: string[] = [];
  for (const scope of LIMIT_SCOPES) {
    const limit = limits[scope];
    const isHidden = (scope === "session" && session === null) || (scope === "day" && !isOperator);
    if (limit === undefined || isHidden) continue;
    const used = await store.usage.sum(countedBy(scope, request));
    const raised = await store.usage.raised(subjectOf(scope, request));
    lines.push(`- limit: ${limitText({ scope, limit }, used, raised)}`);
  }
  return lines;
}

async function sessionLines(place: CommandContext, session: Session): Promise<string> {
  const { store, clock } = place;
  const last = await store.usage.lastOf(session.id);
  const sum = await store.usage.sum({ session: session.id });
  return [
    `**${sessionName(session)}**`,
    `- ${windowText(last, place.windowOf?.(last?.model ?? "") ?? null)}${last === null ? "" : `, ${sayAgo(clock.now(), last.at)}`}`,
    `- this session: ${usageText(sum)}`,
  ].join("\n");
}

/**
 * How full the model's window was at the last request. `window`: tokens that the model reads; null where that is not
 * known.
 */
export function windowText(last: LastUsage | null, window: number | null): string {
  if (last === null) return "window: nothing was sent yet";
  const sent = sentTokens(last);
  const about = last.isEstimated ? "about " : "";
  const model = escapeMarkdown(last.model);
  if (window === null) return `window: ${about}${tokensText(sent)} tokens of ${model}, whose window is not known`;
  const share = Math.round((100 * sent) / window);
  return `window: ${about}${tokensText(sent)} of ${tokensText(window)} tokens of ${model} (${share} %)`;
}

async function tableOf(place: CommandContext, by: UsageBy): Promise<string> {
  const current = await place.session();
  const session = by === "turn" ? current : null;
  const filter = session === null ? { since: place.clock.now() - LATEST_DAYS * DAY_MS } : { session: session.id };
  // They may have been in others by a pass that is over.
  const mayName = (one: Session) => one.id === current?.id || mayChange(place, one);
  const groups = await usageGroups(place.store, by, { ...filter, ...seenBy(place), limit: MOST_ROWS }, mayName);
  if (groups.length === 0) return "Nothing was used yet.";
  const title = session === null ? `The last ${LATEST_DAYS} days` : sessionName(session);
  return `**${title}**\n\n${usageTable(by, groups)}`;
}
