/** A line that sets a variable, on one line. */
const SETS = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=/;

/**
 * The text of a `.env` with variables set: existing ones are changed in place, the others follow at the
 * end. All other lines stay as they are, byte for byte.
 */
export function withVariablesSet(text: string, variables: ReadonlyMap<string, string>): string {
  const left = new Map(variables);
  const lines = text.split("\n").map((line) => {
    const [, name = ""] = SETS.exec(line) ?? [];
    const value = left.get(name);
    if (value === undefined) return line;
    left.delete(name);
    return `${name}=${quoted(value)}${line.endsWith("\r") ? "\r" : ""}`;
  });
  const before = lines.join("\n");
  const begin = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  return begin + [...left].map(([name, value]) => `${name}=${quoted(value)}\n`).join("");
}

/** A value as every reader of such files takes it for itself. */
function quoted(value: string): string {
  if (/^[\w.:/@+=-]+$/.test(value)) return value;
  const mark = ["'", '"', "`"].find((one) => !value.includes(one)) ?? "'";
  return `${mark}${value}${mark}`;
}

/** The text of a `.gitignore` that leaves the `.env` out; null where it does so already. */
export function withEnvIgnored(text: string): string | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  if (lines.some((line) => [".env", "/.env", ".env*", "*.env", "**/.env"].includes(line))) return null;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}.env\n`;
}
