import { plainText } from "#src/markup";
import { Refusal } from "./refusal.ts";

/** A message with reply buttons, as a business sends it. */
export interface Interactive {
  readonly type?: unknown;
  readonly body?: { readonly text?: unknown };
  readonly action?: { readonly buttons?: unknown };
}

/** What stands behind a reply button, and comes back when it is tapped. */
interface Reply {
  readonly id: string;
  readonly title: string;
}

/** "Interactive reply buttons messages": buttons of a message, and characters of its text, of a title and of an id. */
const MOST_BUTTONS = 3;
const LONGEST_BODY = 1_024;
const LONGEST_TITLE = 20;
const LONGEST_ID = 256;

/** What people read of a message with buttons. Throws a Refusal for what Meta refuses. */
export function readButtons(interactive: Interactive = {}): { readonly text: string; readonly choices: string[] } {
  const { type, body, action } = interactive;
  if (type !== "button") throw new Refusal(131051, `Interactive type ${String(type)} is not emulated.`);
  const text = plainText(checked("Body text", body?.text, LONGEST_BODY));
  const buttons: readonly unknown[] = Array.isArray(action?.buttons) ? action.buttons : [];
  if (buttons.length < 1 || buttons.length > MOST_BUTTONS) {
    throw new Refusal(131009, `Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: ${MOST_BUTTONS}`);
  }
  const replies = buttons.map((button): Reply => {
    const { type: kind, reply } = Object(button);
    if (kind !== "reply") throw new Refusal(131009, `Button type ${String(kind)} is not valid`);
    const { id, title } = Object(reply);
    return { id: checked("Button id", id, LONGEST_ID), title: checked("Button title", title, LONGEST_TITLE) };
  });
  for (const key of ["id", "title"] as const) {
    const isEach = new Set(replies.map((reply) => reply[key])).size === replies.length;
    if (!isEach) throw new Refusal(131009, `Duplicated ${key} not allowed`);
  }
  return { text, choices: replies.map(({ title }) => title) };
}

/** The buttons of a message that was taken; none for any other. */
export function buttonsIn(raw: unknown): readonly Reply[] {
  const { action } = Object(Object(raw).interactive) as Interactive;
  return Array.isArray(action?.buttons) ? action.buttons.map(({ reply }: { readonly reply: Reply }) => reply) : [];
}

function checked(name: string, value: unknown, longest: number): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= longest) return value;
  throw new Refusal(131009, `${name} length invalid. Min length: 1, Max length: ${longest}`);
}
