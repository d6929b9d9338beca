import type { CommandInfo } from "@hermes/core";

/**
 * What was written after the app's one slash command (`/hermes title Trip to Rome`) as the text of a message: a command
 * where the first word is one, or is the only word and so can be nothing else; help for nothing at all.
 */
export function fromSlashCommand(text: string, commands: readonly CommandInfo[]): string {
  const said = text.trim();
  if (said === "") return "/help";
  if (said.startsWith("/")) return said;
  const [word = ""] = said.split(/\s/, 1);
  return isCommand(word, commands) || /^[a-z][\w-]*$/i.test(said) ? `/${said}` : said;
}

/** `!title Trip to Rome`: Slack has no slash commands in threads. Anything else that begins with `!` stays as it is. */
export function fromBang(text: string, commands: readonly CommandInfo[]): string {
  const [, word = ""] = /^!([a-z][\w-]*)(?=\s|$)/i.exec(text) ?? [];
  return isCommand(word, commands) ? `/${text.slice(1)}` : text;
}

function isCommand(word: string, commands: readonly CommandInfo[]): boolean {
  return commands.some(({ name }) => name === word.toLowerCase());
}
