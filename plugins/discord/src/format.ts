import type { OutboundMessage, Piece } from "@hermes/core";
import { type Nodes, parseMarkdown, type RootContent, splitText } from "@hermes/core/markdown";
import { MessageFlags } from "discord.js";
import { renderBlocks } from "./format-blocks.ts";

/**
 * The longest content of a message (API reference, "Create Message"). Discord does not say what it counts; a text that
 * fits in UTF-16 units fits whatever it is.
 */
export const TEXT_LIMIT = { length: 2000, unit: "utf16" } as const;

/** Markdown in Discord's own form, cut into messages, and its files. The texts of the pieces join to the whole. */
export function render({ kind, markdown, files = [] }: OutboundMessage): Piece[] {
  // A link in a line of Hermes' own is not worth a preview that is longer than the line.
  const extra = kind === "answer" ? {} : { extra: { flags: MessageFlags.SuppressEmbeds } };
  const texts = splitText(toDiscord(markdown), TEXT_LIMIT).filter((text) => text.trim() !== "");
  return [...texts.map((text): Piece => ({ text, ...extra })), ...files.map((file): Piece => ({ text: "", file }))];
}

/** Markdown in Discord's own form. */
export function toDiscord(markdown: string): string {
  const { children } = parseMarkdown(markdown);
  return renderBlocks(children, { definitions: definitionsIn(children), style: new Set() });
}

/** Addresses that links refer to by name. */
function definitionsIn(nodes: readonly RootContent[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (node: Nodes): void => {
    if (node.type === "definition") found.set(node.identifier, node.url);
    if ("children" in node) for (const child of node.children) look(child);
  };
  for (const node of nodes) look(node);
  return found;
}
