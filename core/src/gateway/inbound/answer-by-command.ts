import { inject, Lifecycle, scoped } from "tsyringe";
import type { OutboundMessage } from "../../adapter/message.ts";
import { asHermesError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { LOGGER } from "../../base/tokens.ts";
import type { CommandResult } from "../../command/command.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import { runCommand } from "../../command/run-command.ts";
import type { InboxRow } from "../../model/inbox.ts";
import { STORE, type Store } from "../../store/store.ts";
import type { Access } from "../account/access.ts";
import { errorText, replyTo } from "../outbound/reply.ts";
import type { TurnToRun } from "./answer-by-turn.ts";
import { ConversationPlaces } from "./conversation-places.ts";

/** Answers messages that are commands. */
@scoped(Lifecycle.ContainerScoped)
export class AnswerByCommand {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ConversationPlaces) readonly places: ConversationPlaces,
  ) {}

  /**
   * Runs the command that a message is, and says what came of it. Returns the message that the command wants run as a
   * turn; null where the row is done.
   */
  async answer(
    row: InboxRow,
    access: Access,
    command: ParsedCommand,
  ): Promise<Pick<TurnToRun, "text" | "isAgain" | "files"> | null> {
    const { reply, files = [], submit, isAgain = false, submitFiles, isSecret } = await this.#run(row, access, command);
    const tellsOf = await this.#toldBy(command, row, access);
    const entry = replyTo(row, { kind: "notice", markdown: reply, files, ...tellsOf, ...(isSecret && { isSecret }) });
    if (submit === undefined) {
      await this.store.inbox.settle(row.id, [entry]);
      return null;
    }
    if (reply !== "") await this.store.outbox.enqueue([entry]);
    return { text: submit, isAgain, files: submitFiles };
  }

  /** What the reply tells of: whatever the writer sees of sessions, unless the command says that it is nothing. */
  async #toldBy(
    { name }: ParsedCommand,
    { key }: InboxRow,
    { isOperator, user }: Access,
  ): Promise<Pick<OutboundMessage, "tellsOf">> {
    const command = findCommand(name);
    if (command === null || command.tellsNoSession) return {};
    const session = (await this.store.bindings.get(key))?.sessionId;
    return { tellsOf: { user: isOperator ? "all" : user, session } };
  }

  async #run(row: InboxRow, access: Access, { name, argument }: ParsedCommand): Promise<CommandResult> {
    const place = this.places.of(row, access);
    try {
      await this.places.branchOff(row, access);
      return await runCommand(name, place, argument);
    } catch (thrown) {
      const error = asHermesError(thrown);
      if (error.code === "INTERNAL") this.logger.error({ row: row.id, error: thrown }, "a command failed");
      return { reply: errorText(error, place) };
    }
  }
}
