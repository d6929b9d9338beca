import type { OutboundMessage, Piece } from "@hermes/core";
import { parseMarkdown, type Root, splitText } from "@hermes/core/markdown";
import { MessageFlags } from "discord.js";
import { renderBlocks } from "./format-blocks.ts";

/**
 * The longest content of a message (API reference, "Create Message"). Discord does not say what it counts; a text that
 * fits in UTF-16 units fits whatever it is.
 */
export const TEXT_LIMIT = { length: 2000, unit: "utf16" } as const;

/** Markdown in Discord's own form, cut into messages, and its files. The texts of the pieces join to the whole. */
export function render({ kind, markdown, files = [] }: OutboundMessage, root = parseMarkdown(markdown)): Piece[] {
  // A link in a line of Hermes' own is not worth a preview that is longer than the line.
  const extra = kind === "answer" ? {} : { extra: { flags: MessageFlags.SuppressEmbeds } };
  const texts = splitText(toDiscord(root), TEXT_LIMIT).filter((text) => text.trim() !== "");
  return [...texts.map((text): Piece => ({ text, ...extra })), ...files.map((file): Piece => ({ text: "", file }))];
}

/** A tree of Markdown in Discord's own form. */
export function toDiscord(root: Root): string {
  return renderBlocks(root.children, { style: new Set() });
}
