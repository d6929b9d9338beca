import { HermesError } from "../base/errors.ts";
export interface ParsedCommand {
  /** In lower case, without the slash. */
  readonly name: string;
  /** Everything after the name, trimmed; may have several lines. */
  readonly argument: string;
}

/** `/name`, with the `@bot` that some platforms add, then the end or white space, so that `/usr/bin` is no command. */
const COMMAND = /^\/([a-z][a-z0-9_-]*)(?:@[\w.-]+)?(?=\s|$)/i;

/** Parses a message as a command; null for plain text. A command starts at the message's first character. */
export function parseCommand(text: string): ParsedCommand | null {
  const match = COMMAND.exec(text);
  if (match?.[1] === undefined) return null;
  return { name: match[1].toLowerCase(), argument: text.slice(match[0].length).trim() };
}

/** Says that what was written behind a command is nothing that it takes; `takes` ends the sentence “/undo takes …”. */
export function takesOnly(name: string, takes: string): HermesError {
  return new HermesError("COMMAND_TAKES", { name, takes });
}
