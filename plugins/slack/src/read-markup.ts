import { shortName } from "@hermes/core";
import { codeSpan } from "@hermes/core/markdown";
import { type MrkdwnNode, parseMrkdwn } from "./mrkdwn.ts";

/** Names for the ids that stand in a message. */
export interface Names {
  user(id: string): Promise<string | undefined>;
  channel(id: string): Promise<string | undefined>;
}

/** Slack's markup as Markdown. */
export async function toMarkdown(text: string, names: Names): Promise<string> {
  return markdownOf(parseMrkdwn(text), names);
}

async function markdownOf(nodes: readonly MrkdwnNode[], names: Names): Promise<string> {
  const parts = await Promise.all(nodes.map((node) => markdownOfNode(node, names)));
  return parts.join("");
}

async function markdownOfNode(node: MrkdwnNode, names: Names): Promise<string> {
  switch (node.type) {
    case "text":
      return node.value;
    case "bold":
      return `**${await markdownOf(node.children, names)}**`;
    case "italic":
      return `_${await markdownOf(node.children, names)}_`;
    case "strike":
      return `~~${await markdownOf(node.children, names)}~~`;
    case "code":
      return codeSpan(node.value);
    case "pre":
      return `\`\`\`\n${node.value}\n\`\`\``;
    case "link":
      return linkOf(node.url, node.label);
    case "mention":
      return nameOf(node, names);
  }
}

/** What Slack made a link of by itself (`example.com`, `ada@example.com`) is given back as it was typed. */
function linkOf(url: string, label: string | null): string {
  if (label === null || label === url) return url;
  const typed = [`mailto:${label}`, `tel:${label}`, `http://${label}`, `https://${label}`];
  return typed.includes(url.replace(/\/$/, "")) || typed.includes(url) ? label : `[${label}](${url})`;
}

async function nameOf({ sign, id, label }: MrkdwnNode & { type: "mention" }, names: Names): Promise<string> {
  switch (sign) {
    case "@":
      return `@${shortName((await names.user(id)) ?? label ?? "") || id}`;
    case "#":
      return `#${shortName(label || ((await names.channel(id)) ?? "")) || id}`;
    case "!":
      // A date says itself in its label, a group its name; `here` and its like have none.
      return id.startsWith("date^") ? shortName(label ?? "") : shortName(label ?? "") || `@${id}`;
  }
}
