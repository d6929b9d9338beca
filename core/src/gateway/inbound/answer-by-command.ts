import { asHermesError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { CommandResult } from "../../command/command.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { runCommand } from "../../command/run-command.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { Access } from "../account/access.ts";
import { errorText, replyTo } from "../outbound/reply.ts";
import { branchOff, type ConversationPlaceDeps, conversationPlace } from "./conversation-place.ts";

export interface AnswerByCommandDeps extends ConversationPlaceDeps {
  readonly logger: Logger;
}

/**
 * Runs the command that a message is, and says what came of it. Returns the message that the command wants run as a
 * turn; null where the row is done.
 */
export async function answerByCommand(
  deps: AnswerByCommandDeps,
  row: InboxRow,
  access: Access,
  command: ParsedCommand,
): Promise<string | null> {
  const { store } = deps;
  const { reply, files = [], submit } = await run(deps, row, access, command);
  const entry = replyTo(row, { kind: "notice", markdown: reply, files });
  if (submit === undefined) {
    await store.inbox.settle(row.id, [entry]);
    return null;
  }
  await store.outbox.enqueue([entry]);
  return submit;
}

async function run(
  deps: AnswerByCommandDeps,
  row: InboxRow,
  access: Access,
  { name, argument }: ParsedCommand,
): Promise<CommandResult> {
  try {
    await branchOff(deps, row, access);
    return await runCommand(name, conversationPlace(deps, row, access), argument);
  } catch (thrown) {
    const error = asHermesError(thrown);
    if (error.code === "INTERNAL") deps.logger.error({ row: row.id, error: thrown }, "a command failed");
    return { reply: errorText(error) };
  }
}
