/**
 * What a person wrote as a command. Phones put a capital letter at the beginning of a message, which a command does not
 * have.
 */
export function withCommand(text: string): string {
  return text.replace(/^\s*\/([A-Za-z][\w-]*)(?=\s|$)/, (command) => command.trim().toLowerCase());
}
