import { plainText } from "#src/mrkdwn";
import type { StoredMessage } from "./workspace.ts";

/**
 * What people read of a message: its blocks where it has some, each below the other, else its text; the markup is
 * resolved.
 */
export function readMessage({ text, blocks }: Pick<StoredMessage, "text" | "blocks">): string {
  if (blocks === undefined || blocks.length === 0) return plainText(text);
  const texts = sections(blocks).map((block) => {
    const { type, text: content } = Object(Object(block).text) as { type?: unknown; text?: unknown };
    return type === "plain_text" ? String(content) : plainText(String(content ?? ""));
  });
  return texts.join("\n");
}

/** Whom a message notifies ("Formatting text for app surfaces › Mentioning"): what was escaped mentions nobody. */
export function notifiedBy({ text, blocks = [] }: Pick<StoredMessage, "text" | "blocks">): string[] {
  const said = [text, ...sections(blocks).map((block) => JSON.stringify(block))].join("\n");
  return said.match(/<!(?:channel|here|everyone|subteam\^)[^>]*>|<@[^>]+>/g) ?? [];
}

/** The addresses of `<address|text>`, which is how Slack writes links. */
export function linksIn({ text, blocks }: Pick<StoredMessage, "text" | "blocks">): string[] {
  const written = blocks === undefined || blocks.length === 0 ? text : JSON.stringify(sections(blocks));
  return [...written.matchAll(/<([a-z][a-z0-9+.-]*:[^>|]+)/gi)].map(([, url]) => url ?? "");
}

/** Blocks with a text. What stands on a button is plain: it mentions nobody, and links nowhere. */
function sections(blocks: readonly unknown[]): readonly unknown[] {
  return blocks.filter((block) => Object(block).type !== "actions");
}
