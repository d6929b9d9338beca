import type { Nodes } from "mdast";
import { HermesError } from "../base/errors.ts";
import { count } from "../base/text.ts";
import { parseMarkdown } from "../markdown/parse-markdown.ts";
import type { Command, CommandContext } from "./command.ts";

/** How many messages are looked through for the last answer. */
const LATEST = 500;

export const copyCommand: Command = {
  name: "copy",
  description: "Copy the last answer, or its n-th code block, to the clipboard",
  category: "Info",
  aliases: [],
  argumentHint: "[n]",
  cliOnly: true,
  async run(place, argument) {
    const answer = await lastAnswer(place);
    if (answer === null) throw new HermesError("COPY_NOTHING", { reason: "the agent has not answered here yet" });
    const what = argument === "" ? "the last answer" : `code block ${argument} of the last answer`;
    const text = argument === "" ? answer : codeBlock(answer, argument);
    const ways = (await place.copy?.(text)) ?? [];
    if (ways.length === 0) throw new HermesError("COPY_NO_WAY", {});
    return { reply: `Copied ${what} (${count([...text].length, "character")}) by ${ways.join(" and ")}.` };
  },
};

async function lastAnswer({ session, store }: CommandContext): Promise<string | null> {
  const current = await session();
  if (current === null) return null;
  const rows = await store.transcripts.read(current.id, { limit: LATEST });
  return (
    rows.findLast(({ role, internal, text }) => role === "assistant" && !internal && text.trim() !== "")?.text ?? null
  );
}

function codeBlock(answer: string, number: string): string {
  const blocks = codeBlocksIn(parseMarkdown(answer));
  const block = /^[1-9]\d?$/.test(number) ? blocks[Number(number) - 1] : undefined;
  if (block !== undefined) return block;
  const has = blocks.length === 0 ? "no code block" : count(blocks.length, "code block");
  throw new HermesError("COPY_NOTHING", { reason: `the last answer has ${has}` });
}

function codeBlocksIn(node: Nodes): string[] {
  if (node.type === "code") return [node.value];
  return "children" in node ? node.children.flatMap(codeBlocksIn) : [];
}
