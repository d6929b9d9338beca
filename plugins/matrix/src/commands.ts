import type { CommandInfo } from "@hermes/core";

/**
 * A command as `/name argument`; null for other texts. Apps keep what begins with a slash for themselves, so on Matrix
 * commands of bots begin with `!`. Only names that are known: an exclamation mark may begin a sentence, too.
 */
export function toCommandText(text: string, commands: readonly CommandInfo[]): string | null {
  const [, name = "", argument = ""] = /^!([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim()) ?? [];
  const known = commands.find((command) => command.name === name.toLowerCase());
  return known === undefined ? null : `/${known.name} ${argument.trim()}`.trim();
}
