import { codeIn, shownCode } from "../../model/code.ts";
import type { Store } from "../../store/store.ts";

/** A line that is a code and nothing else, as the command that takes it: it is no message for the agent. */
export async function asCodeCommand({ codes }: Store, line: string): Promise<string> {
  const code = line.trim().startsWith("/") ? null : codeIn(line);
  const found = code && (await codes.find(code));
  if (code === null || !found) return line;
  return `/${found.kind === "pass" ? "continue" : "link"} ${shownCode(code)}`;
}
