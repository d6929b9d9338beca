import type { Methods } from "./methods.ts";
import { type Params, Refusal } from "./params.ts";
import { APP, type Channel, type StoredMessage, type Workspace } from "./workspace.ts";

const HISTORY_SCOPE = { im: "im:history", channel: "channels:history", group: "groups:history" } as const;
const READ_SCOPE = { im: "im:read", channel: "channels:read", group: "groups:read" } as const;

/** The largest page, in messages. */
const LARGEST_PAGE = 999;

/** What asks about the workspace and changes nothing. */
export const lookupMethods: Methods = {
  "auth.test": (_params, { workspace }) => ({
    url: workspace.url,
    team: "Emulator",
    team_id: workspace.teamId,
    user: APP.name,
    user_id: APP.userId,
    bot_id: APP.botId,
    is_enterprise_install: false,
  }),

  "bots.info"(params, { workspace }) {
    workspace.needScope("users:read");
    if (params.text("bot") !== APP.botId) throw new Refusal("bot_not_found");
    const { botId, appId, userId, name } = APP;
    return { bot: { id: botId, deleted: false, name, app_id: appId, user_id: userId } };
  },

  "conversations.info"(params, { workspace }) {
    const at = workspace.visibleChannel(params.text("channel"));
    workspace.needScope(READ_SCOPE[at.type]);
    const common = { id: at.id, is_archived: at.isArchived, is_im: at.type === "im", is_mpim: false };
    if (at.type === "im") return { channel: { ...common, user: at.userId } };
    const isPrivate = at.type === "group";
    const kind = { name: at.name, is_channel: !isPrivate, is_private: isPrivate, is_member: at.isMember };
    // The person of this workspace, and the app where it is a member.
    const count = params.isTrue("include_num_members") ? { num_members: at.isMember ? 2 : 1 } : {};
    return { channel: { ...common, ...kind, ...count } };
  },

  "conversations.history"(params, { workspace }) {
    const at = readable(params, workspace);
    const newestFirst = at.messages.in(undefined).toReversed();
    return page(newestFirst, at, params, workspace);
  },

  "conversations.replies"(params, { workspace }) {
    const at = readable(params, workspace);
    const ts = params.text("ts");
    const root = at.messages.get(ts);
    if (!root) throw new Refusal("thread_not_found");
    return page([root, ...at.messages.thread(ts)], at, params, workspace);
  },

  "users.conversations"(params, { workspace }) {
    const wanted = params.text("types").split(",");
    const types = { im: "im", channel: "public_channel", group: "private_channel" } as const;
    const shown = workspace.channels.filter(
      ({ type, isMember, isArchived }) =>
        isMember && wanted.includes(types[type]) && !(isArchived && params.isTrue("exclude_archived")),
    );
    for (const { type } of shown) workspace.needScope(READ_SCOPE[type]);
    return { channels: shown.map(({ id, name, type }) => ({ id, ...(type === "im" ? { is_im: true } : { name }) })) };
  },

  "users.info"(params, { workspace }) {
    workspace.needScope("users:read");
    const id = params.text("user");
    const name = workspace.users.get(id);
    if (name === undefined) throw new Refusal("user_not_found");
    return {
      user: { id, name: name.toLowerCase(), real_name: name, profile: { display_name: name, real_name: name } },
    };
  },
};

function readable(params: Params, workspace: Workspace): Channel {
  const at = workspace.visibleChannel(params.text("channel"));
  workspace.needScope(HISTORY_SCOPE[at.type]);
  if (!at.isMember) throw new Refusal("not_in_channel");
  return at;
}

/** A page of messages within the times that are asked for; a thread's root stands in each, whatever those are. */
function page(all: readonly StoredMessage[], at: Channel, params: Params, workspace: Workspace) {
  const oldest = Number(params.optional("oldest") ?? 0);
  const latest = Number(params.optional("latest") ?? Number.POSITIVE_INFINITY);
  const root = params.optional("ts");
  const isWithin = (at: number) =>
    (at > oldest && at < latest) || (params.isTrue("inclusive") && (at === oldest || at === latest));
  const messages = all.filter(({ ts }) => ts === root || isWithin(Number(ts)));
  const limit = params.number("limit", 100);
  if (limit < 1 || limit > LARGEST_PAGE) throw new Refusal("invalid_limit");
  const cursor = params.optional("cursor");
  const start = cursor === undefined ? 0 : Number(/^page:(\d+)$/.exec(cursor)?.[1] ?? Number.NaN);
  if (Number.isNaN(start)) throw new Refusal("invalid_cursor");
  const hasMore = messages.length > start + limit;
  const shown = messages.slice(start, start + limit).map((message) => {
    const { metadata, ...rest } = workspace.show(message, at);
    return metadata !== undefined && params.isTrue("include_all_metadata") ? { ...rest, metadata } : rest;
  });
  return {
    messages: shown,
    has_more: hasMore,
    ...(hasMore ? { response_metadata: { next_cursor: `page:${start + limit}` } } : {}),
  };
}
