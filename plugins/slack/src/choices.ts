import { type Choice, type ChoiceLimits, type Piece, type Press, z } from "@hermes/core";
import type { Directory } from "./directory.ts";
import type { Identity } from "./identity.ts";
import { placeOf } from "./source.ts";

/** So many buttons in a block ("Actions block"), and so many characters on each ("Button element"). */
export const CHOICE_LIMITS: ChoiceLimits = { most: 25, labelLength: 75 };

/** The `action_id` of a choice begins so; each of a block needs one of its own. */
const ACTION_PREFIX = "hermes_choice_";

/** A block of buttons, as far as Hermes uses it. */
export interface Actions {
  readonly type: "actions";
  readonly elements: readonly Button[];
}

interface Button {
  readonly type: "button";
  readonly action_id: string;
  readonly text: { readonly type: "plain_text"; readonly text: string; readonly emoji: false };
  /** Comes back when it is pressed. */
  readonly value: string;
  readonly style?: "primary" | "danger";
}

/**
 * The block with the choices of a piece; none for a piece without choices. It has no `block_id`: Slack wants a new one
 * with each change of a message, and makes one where it is left out.
 */
export function choiceBlocksOf({ extra }: Pick<Piece, "extra">): Actions[] {
  const choices = (extra?.choices ?? []) as readonly Choice[];
  return choices.length === 0 ? [] : [{ type: "actions", elements: choices.map(buttonOf) }];
}

function buttonOf({ id, label, style }: Choice, index: number): Button {
  return {
    type: "button",
    action_id: `${ACTION_PREFIX}${index}`,
    text: { type: "plain_text", text: label, emoji: false },
    value: id,
    ...(style === "plain" ? {} : { style }),
  };
}

/** A `block_actions` payload on a message, as far as it is read. A button in a thread says so in one place or the other. */
const pressPayload = z.object({
  user: z.object({ id: z.string(), username: z.string().optional() }),
  channel: z.object({ id: z.string() }),
  container: z.object({ thread_ts: z.string().nullish() }).nullish(),
  message: z.object({
    ts: z.string(),
    thread_ts: z.string().nullish(),
    user: z.string().nullish(),
    bot_id: z.string().nullish(),
  }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string() })),
});

/**
 * The presses of choices that a `block_actions` payload tells of: none for what is not below a message of this bot. A
 * message that somebody shares is theirs, and the bot of another workspace is another one.
 */
export async function pressesIn(
  payload: unknown,
  { self, directory }: { readonly self: Identity; readonly directory: Directory },
): Promise<Press[]> {
  const { data } = pressPayload.safeParse(payload);
  if (data === undefined) return [];
  const { user, channel, container, message, actions } = data;
  const chosen = actions.filter(({ action_id: id }) => id.startsWith(ACTION_PREFIX));
  const isOwn = message.bot_id === self.botId || message.user === self.userId;
  if (!isOwn || chosen.length === 0) return [];
  const thread_ts = container?.thread_ts ?? message.thread_ts ?? undefined;
  const { conversation } = placeOf({ channel: channel.id, ts: message.ts, thread_ts }, self.teamId);
  const name = (await directory.userName(user.id)) ?? user.username;
  const sender = { id: user.id, ...(name === undefined ? {} : { name }) };
  return chosen.map(({ value }) => ({ conversation, messageId: message.ts, choiceId: value, sender }));
}
