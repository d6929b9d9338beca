import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { Session, SessionId, UserId } from "../model/session.ts";
import { sentTokens, type UsageBy, type UsageFilter, type UsageGroup } from "../model/usage.ts";
import { costText, tokensText } from "../model/usage-text.ts";
import { nameOfUser } from "../store/look-up-session.ts";
import type { Store } from "../store/store.ts";
import { clip } from "./words.ts";

/** What a group is called where people read it. */
export interface NamedUsage extends UsageGroup {
  readonly name: string;
}

type MayName = (session: Session) => boolean;

export const USAGE_BY: readonly UsageBy[] = ["turn", "session", "day", "person", "model"];

/** The longest name in a table, in code points: a row fits on 80 columns. */
const LONGEST_NAME = 34;

/**
 * What requests used by turn, session, day, person or model, with names: of a turn of one session, what was asked.
 * `mayName`: whether a session may be called by its title; without it, each is.
 */
export async function usageGroups(
  store: Store,
  by: UsageBy,
  filter: UsageFilter & { readonly limit: number },
  mayName: MayName = () => true,
): Promise<NamedUsage[]> {
  const groups = await store.usage.groups(by, filter);
  const asked = by === "turn" && filter.session !== undefined ? await requestsOf(store, filter.session) : null;
  return Promise.all(
    groups.map(async (group) => ({ ...group, name: await nameOf(store, by, group, { asked, mayName }) })),
  );
}

async function nameOf(
  store: Store,
  by: UsageBy,
  { key, sessionId }: UsageGroup,
  { asked, mayName }: { readonly asked: ReadonlyMap<string, string> | null; readonly mayName: MayName },
): Promise<string> {
  if (key === null) return "deleted sessions";
  switch (by) {
    case "turn":
      return asked?.get(key) ?? (sessionId === null ? key : titleOf(store, sessionId, mayName));
    case "session":
      return titleOf(store, key as SessionId, mayName);
    case "person":
      return nameOfUser(store, key as UserId);
    default:
      return key;
  }
}

async function titleOf({ sessions }: Store, id: SessionId, mayName: MayName): Promise<string> {
  const session = await sessions.get(id);
  return session === null || mayName(session) ? (session?.title ?? id) : "a session of somebody else";
}

/** What each turn of a session was asked. */
async function requestsOf({ transcripts }: Store, session: SessionId): Promise<Map<string, string>> {
  const asked = new Map<string, string>();
  for (const { turnId, role, internal, text } of await transcripts.read(session)) {
    if (role !== "user" || internal || turnId === null || asked.has(turnId)) continue;
    asked.set(turnId, withReadableMarks(text));
  }
  return asked;
}

/** A table in Markdown. */
export function usageTable(by: UsageBy, groups: readonly NamedUsage[]): string {
  const rows = groups.map((group) => {
    const about = group.estimated > 0 ? "~" : "";
    const tokens = [sentTokens(group), group.cacheRead, group.output].map((one) => `${about}${tokensText(one)}`);
    const name = escapeMarkdown(clip(group.name, LONGEST_NAME));
    return `| ${[name, group.requests, ...tokens, costText(group)].join(" | ")} |`;
  });
  const head = `${by.charAt(0).toUpperCase()}${by.slice(1)}`;
  const note = groups.some(({ estimated }) => estimated > 0) ? ["", "~: partly estimated."] : [];
  return [
    `| ${head} | Requests | Sent | Cached | Written | Cost |`,
    "|---|--:|--:|--:|--:|--:|",
    ...rows,
    ...note,
  ].join("\n");
}
