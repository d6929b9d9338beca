import { checkButtons } from "./buttons.ts";
import { invalid, Refusal } from "./params.ts";

/**
 * Characters of a section's text, of a header's, and of all texts of a message's blocks. Slack does not document the
 * last.
 */
const LONGEST_SECTION = 3_000;
const LONGEST_HEADER = 150;
const LONGEST_BLOCKS = 12_000;

/** Characters of `text`; less when a message is changed. */
const LONGEST_TEXT = 40_000;
const LONGEST_CHANGED_TEXT = 4_000;

const MOST_BLOCKS = 50;
const LONGEST_BLOCK_ID = 255;

/** Refuses the contents of a message that Slack would refuse. */
export function checkMessage(
  { text, blocks }: { readonly text: string; readonly blocks: readonly unknown[] | undefined },
  call: "post" | "update",
): void {
  if (text === "" && (blocks === undefined || blocks.length === 0)) throw new Refusal("no_text");
  const longest = call === "update" ? LONGEST_CHANGED_TEXT : LONGEST_TEXT;
  if ([...text].length > longest) throw new Refusal("msg_too_long");
  if (blocks !== undefined) checkBlocks(blocks);
}

export function checkBlocks(blocks: readonly unknown[]): void {
  if (blocks.length > MOST_BLOCKS) throw invalid(`no more than ${MOST_BLOCKS} items allowed [json-pointer:/blocks]`);
  const ids = new Set<string>();
  let sum = 0;
  blocks.forEach((block, index) => {
    const at = `[json-pointer:/blocks/${index}`;
    const { block_id: id, ...content } = Object(block) as Record<string, unknown>;
    sum += content.type === "actions" ? checkButtons(content.elements, at) : checkText(content, at);
    if (id !== undefined && (typeof id !== "string" || id.length > LONGEST_BLOCK_ID || ids.has(id))) {
      throw invalid(`invalid block_id ${at}/block_id]`);
    }
    if (typeof id === "string") ids.add(id);
  });
  if (sum > LONGEST_BLOCKS) throw new Refusal("msg_blocks_too_long");
}

/** The text of a section or header. Returns its length in characters. */
function checkText({ type, text }: Record<string, unknown>, at: string): number {
  if (type !== "section" && type !== "header") throw invalid(`unsupported type: ${String(type)} ${at}/type]`);
  const longest = type === "header" ? LONGEST_HEADER : LONGEST_SECTION;
  const { type: kind, text: content } = Object(text) as Record<string, unknown>;
  if (kind !== "plain_text" && (kind !== "mrkdwn" || type === "header"))
    throw invalid(`must be a valid text object ${at}/text]`);
  if (typeof content !== "string" || content === "") throw invalid(`must be more than 0 characters ${at}/text/text]`);
  const { length } = [...content];
  if (length > longest) throw invalid(`must be less than ${longest + 1} characters ${at}/text/text]`);
  return length;
}

export function checkMetadata(value: unknown): { event_type: string; event_payload: unknown } | undefined {
  if (value === undefined) return undefined;
  const { event_type: type, event_payload: payload } = Object(value) as Record<string, unknown>;
  if (typeof type !== "string" || !/^\w{1,255}$/.test(type)) throw new Refusal("invalid_metadata_format");
  if (typeof payload !== "object" || payload === null) throw new Refusal("invalid_metadata_format");
  return { event_type: type, event_payload: payload };
}
