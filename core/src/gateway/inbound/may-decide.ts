import type { Conversation } from "../../adapter/conversation.ts";
import type { Sender } from "../../adapter/message.ts";
import { shortName } from "../../base/one-line.ts";
import type { Approval, Decider } from "../../model/approval.ts";
import { authorOf, type TurnAuthor } from "../../model/turn.ts";
import { type Access, keyOf } from "../account/access.ts";

/** Somebody who answers a question on a platform, by the ids that are theirs now. `conversation` names the account. */
export interface Answerer {
  readonly sender: Sender;
  readonly conversation: Conversation;
  readonly access: Access;
}

/** Operators decide. What the agent asks by itself may also be answered by whoever it works for. */
export function mayDecide({ kind }: Pick<Approval, "kind">, author: TurnAuthor | null, by: Answerer): boolean {
  if (by.sender.isBot) return false;
  return by.access.isOperator || (kind === "question" && isAuthor(author, by));
}

function isAuthor(author: TurnAuthor | null, { sender, conversation }: Answerer): boolean {
  if (author === null || author === "terminal") return false;
  const isHere = author.platform === conversation.platform && author.account === conversation.account;
  return isHere && (author.person ?? author.senderId) === keyOf(sender);
}

/** Who decided, as a question says it. */
export function deciderOf({ sender, conversation, access }: Answerer): Decider {
  const name = shortName(sender.name ?? "") || (access.isOperator ? "an operator" : sender.id);
  return { name, author: authorOf({ conversation, sender }) };
}
