export interface ParsedCommand {
  /** In lower case, without the slash. */
  readonly name: string;
  /** Everything behind the name, trimmed; may have several lines. */
  readonly argument: string;
}

/** `/name`, maybe with the `@bot` that some platforms add, then an end or white space; so that `/usr/bin` is no command. */
const COMMAND = /^\/([a-z][a-z0-9_-]*)(?:@[\w.-]+)?(?=\s|$)/i;

/** The command that a message is, or null for plain text. Only the very start of a message can be one. */
export function parseCommand(text: string): ParsedCommand | null {
  const match = COMMAND.exec(text);
  if (match?.[1] === undefined) return null;
  return { name: match[1].toLowerCase(), argument: text.slice(match[0].length).trim() };
}
