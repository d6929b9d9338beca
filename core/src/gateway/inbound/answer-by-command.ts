import { inject, Lifecycle, scoped } from "tsyringe";
import type { OutboundMessage } from "../../adapter/message.ts";
import { asHermesError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { LOGGER } from "../../base/tokens.ts";
import type { CommandResult } from "../../command/command.ts";
import { MessageChanged } from "../../command/decide-approval.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import { runCommand } from "../../command/run-command.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import { STORE, type Store } from "../../store/store.ts";
import type { Access } from "../account/access.ts";
import { errorText, replyTo } from "../outbound/reply.ts";
import type { TurnToRun } from "./answer-by-turn.ts";
import { ConversationPlaces } from "./conversation-places.ts";

/** Answers messages that are commands. */
@scoped(Lifecycle.ContainerScoped)
export class AnswerByCommand {
  /** What commands that led to a turn said, by their names, until that begins: their message may be edited, and read anew. */
  readonly #said = new RecentMap<InboxId, ReadonlyMap<string, NewOutboxEntry>>(1_000);

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ConversationPlaces) readonly places: ConversationPlaces,
  ) {}

  /**
   * Runs the command that a message is, and says what came of it. Returns the message that the command wants run as a
   * turn, in whose first step that is said; null where the row is done, or is to be read anew, since it was edited before the
   * command had done anything.
   */
  async answer(
    row: InboxRow,
    access: Access,
    command: ParsedCommand,
  ): Promise<Pick<TurnToRun, "text" | "isAgain" | "files" | "outbox"> | null> {
    const result = await this.#run(row, access, command);
    if (result === null) return null;
    const { reply, files = [], submit, isAgain = false, submitFiles, isSecret } = result;
    const tellsOf = await this.#toldBy(command, row, access);
    const entry = replyTo(row, { kind: "notice", markdown: reply, files, ...tellsOf, ...(isSecret && { isSecret }) });
    const said = new Map(this.#said.get(row.id));
    const name = findCommand(command.name)?.name ?? command.name;
    // Carried out again, since what stands behind it was edited, it says what it said first.
    if ((reply !== "" || submit === undefined) && !said.has(name)) said.set(name, entry);
    if (submit === undefined) {
      await this.store.inbox.settle(row.id, [...said.values()]);
      return null;
    }
    this.#said.set(row.id, said);
    return { text: submit, isAgain, files: submitFiles, outbox: this.saidOf(row) };
  }

  /** What commands said that a message was before it was edited, while no turn has begun that says it. */
  saidOf({ id, state }: InboxRow): readonly NewOutboxEntry[] {
    return state === "queued" ? [...(this.#said.get(id)?.values() ?? [])] : [];
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

  async #run(row: InboxRow, access: Access, { name, argument }: ParsedCommand): Promise<CommandResult | null> {
    const place = this.places.of(row, access);
    try {
      await this.places.branchOff(row, access);
      return await runCommand(name, place, argument);
    } catch (thrown) {
      if (thrown instanceof MessageChanged) return null;
      const error = asHermesError(thrown);
      if (error.code === "INTERNAL") this.logger.error({ row: row.id, error: thrown }, "a command failed");
      return { reply: errorText(error, place) };
    }
  }
}
