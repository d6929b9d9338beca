import { invalid } from "./params.ts";
import type { StoredMessage, Workspace } from "./workspace.ts";

/** A button as Slack keeps it ("Button element"). */
export interface Button {
  readonly type: "button";
  readonly block_id: string;
  readonly action_id: string;
  readonly text: { readonly type: "plain_text"; readonly text: string };
  readonly value?: string;
}

/** "Actions block" and "Button element": buttons of a block, and characters of what belongs to one. */
const MOST_BUTTONS = 25;
const LONGEST_LABEL = 75;
const LONGEST_VALUE = 2_000;
const LONGEST_ACTION_ID = 255;

/** Refuses the elements of an actions block that Slack would refuse. Returns how many characters stand on them. */
export function checkButtons(elements: unknown, at: string): number {
  if (!Array.isArray(elements) || elements.length === 0) throw invalid(`must be a list of elements ${at}/elements]`);
  if (elements.length > MOST_BUTTONS) throw invalid(`no more than ${MOST_BUTTONS} items allowed ${at}/elements]`);
  const ids = new Set<unknown>();
  let sum = 0;
  elements.forEach((element, index) => {
    const where = `${at}/elements/${index}`;
    const { type, action_id: id, text, value, style } = Object(element) as Record<string, unknown>;
    if (type !== "button") throw invalid(`unsupported type: ${String(type)} ${where}/type]`);
    const { type: kind, text: label } = Object(text) as Record<string, unknown>;
    if (kind !== "plain_text") throw invalid(`must be a plain_text object ${where}/text]`);
    sum += checkLength(label, LONGEST_LABEL, `${where}/text/text]`);
    if (value !== undefined) checkLength(value, LONGEST_VALUE, `${where}/value]`);
    if (style !== undefined && style !== "primary" && style !== "danger")
      throw invalid(`invalid style ${where}/style]`);
    if (id === undefined) return;
    checkLength(id, LONGEST_ACTION_ID, `${where}/action_id]`);
    if (ids.has(id))
      throw invalid(`\`action_id\` ${String(id)} already exists for another element ${where}/action_id]`);
    ids.add(id);
  });
  return sum;
}

function checkLength(value: unknown, longest: number, at: string): number {
  if (typeof value !== "string" || value === "") throw invalid(`must be more than 0 characters ${at}`);
  const { length } = [...value];
  if (length > longest) throw invalid(`must be less than ${longest + 1} characters ${at}`);
  return length;
}

/** Blocks of buttons with the `block_id` that Slack makes for one that has none. */
export function withBlockIds(
  blocks: readonly unknown[] | undefined,
  workspace: Workspace,
): readonly unknown[] | undefined {
  return blocks?.map((block) => {
    const { type, block_id: id } = Object(block) as Record<string, unknown>;
    return type === "actions" && id === undefined ? { ...Object(block), block_id: workspace.newId("b") } : block;
  });
}

/** The buttons below a message. */
export function buttonsIn({ blocks = [] }: Pick<StoredMessage, "blocks">): Button[] {
  return blocks.flatMap((block) => {
    const { type, block_id, elements } = Object(block) as Record<string, unknown>;
    return type === "actions"
      ? (elements as Button[]).map((element) => ({ ...element, block_id: String(block_id) }))
      : [];
  });
}
