import type { OutboundMessage } from "../../adapter/message.ts";
import { ERROR_TABLE, fillIn } from "../../base/error-table.ts";
import type { HermesError } from "../../base/errors.ts";
import type { CommandContext } from "../../command/command.ts";
import { findCommand } from "../../command/registry.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import type { SessionId } from "../../model/session.ts";

/** Makes the outbox entry of a reply to an inbox row. */
export function replyTo(
  { key, message: { conversation } }: InboxRow,
  message: OutboundMessage,
  sessionId: SessionId | null = null,
): NewOutboxEntry {
  return { key, conversation, message, sessionId };
}

/** A step that takes the shell, the config, the environment or the log: the operator's to take. */
const OPERATORS_STEP = /`(?:hermes|npm|corepack) |\bconfig\b|\benvironment\b|\bthe log\b|\bHERMES_/;

/**
 * Returns the text of an error for a chat: its sentence and a next step that its reader can take, with commands as they
 * are typed there.
 */
export function errorText(error: HermesError, reader: Pick<CommandContext, "typed" | "isOperator">): string {
  const { code, fields, place } = error;
  // Do not show the store's path, or the process that holds it, in a chat.
  if (code.startsWith("STORE_")) return "Hermes cannot reach its store just now. Try again in a moment.";
  const spell = (text: string) => withCommandsAsTyped(text, reader.typed);
  const { sentence, hint, inChat } = ERROR_TABLE[code];
  // A hint that comes with the error is Hermes' own words, too.
  const values = typeof fields["hint"] === "string" ? { ...fields, hint: spell(fields["hint"]) } : fields;
  const said = place === undefined ? fillIn(spell(sentence), values) : error.message;
  const step = fillIn(spell(inChat ?? hint), values);
  return `${said} ${reader.isOperator || !OPERATORS_STEP.test(step) ? step : "Ask the operator of this Hermes."}`.trim();
}

/** `/name` in words of Hermes' own, as it is typed at a place. */
function withCommandsAsTyped(text: string, typed: CommandContext["typed"]): string {
  return text.replaceAll(/(?<=^|[\s`(])\/(\{\w+\}|[a-z]+)/g, (written, name: string) =>
    name.startsWith("{") || findCommand(name) !== null ? typed(name) : written,
  );
}
