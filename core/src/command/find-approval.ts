import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { codeSpan } from "../markdown/escape-markdown.ts";
import type { Approval } from "../model/approval.ts";
import { askedText } from "../model/approval-text.ts";
import type { CommandContext } from "./command.ts";
import { sayAgo } from "./words.ts";

/** The open questions that a place shows, oldest first: in the terminal, those of its session. */
export async function openHere({ store, surface, session }: CommandContext): Promise<readonly Approval[]> {
  if (surface !== "terminal") return (await store.approvals.shownAt(surface)).map(({ approval }) => approval);
  const current = await session();
  return current === null ? [] : store.approvals.open(current.id);
}

/** The question that a code names, open or not, if people at the place may see its session; or null. */
export async function approvalByCode(place: CommandContext, code: string): Promise<Approval | null> {
  const { store, visible } = place;
  const found = await store.approvals.byCode(code);
  if (found === null) return null;
  const isVisible =
    visible.kind === "all" ||
    (await store.sessions.find(found.sessionId, visible)).some(({ id }) => id === found.sessionId);
  if (isVisible) return found;
  return (await openHere(place)).find(({ id }) => id === found.id) ?? null;
}

/** What is said of a word that is no code, and can be nothing else. */
export function unknownCode(code: string): HermesError {
  return new HermesError("APPROVAL_UNKNOWN", { code });
}

/** Lists open questions with their codes as Markdown, and says how one is named. `verb` is `approve` or `deny`. */
export function whichOne({ clock, typed }: CommandContext, open: readonly Approval[], verb: string): string {
  const [first] = open;
  if (first === undefined) return "No question is open here.";
  const lines = open.map((one) => `- **${one.code}** ${codeSpan(askedText(one))}, ${sayAgo(clock.now(), one.askedAt)}`);
  const example = `\`${typed(`${verb} ${first.code}`)}\``;
  return `${count(open.length, "question")} wait here:\n${lines.join("\n")}\n\nName one, such as ${example}, or all of them: \`${typed(`${verb} all`)}\`.`;
}
