import type { Conversation } from "../../adapter/conversation.ts";
import type { Sender } from "../../adapter/message.ts";
import { shortName } from "../../base/one-line.ts";
import type { Approval, Decider } from "../../model/approval.ts";
import type { UserId } from "../../model/session.ts";
import { authorOf } from "../../model/turn.ts";
import type { Access } from "../account/access.ts";

/** Somebody who answers a question on a platform, by the ids that are theirs now. `conversation` names the account. */
export interface Answerer {
  readonly sender: Sender;
  readonly conversation: Conversation;
  readonly access: Access;
  /** As `userOf` has it. */
  readonly user: UserId;
}

/**
 * Operators decide. What the agent asks by itself may also be answered by whoever it works for: `whose`, null where that
 * is nobody.
 */
export function mayDecide({ kind }: Pick<Approval, "kind">, whose: UserId | null, by: Answerer): boolean {
  if (by.sender.isBot) return false;
  return by.access.isOperator || (kind === "question" && whose !== null && whose === by.user);
}

/** Who decided, as a question says it. */
export function deciderOf({ sender, conversation, access }: Omit<Answerer, "user">): Decider {
  const name = shortName(sender.name ?? "") || (access.isOperator ? "an operator" : sender.id);
  return { name, author: authorOf({ conversation, sender }) };
}
