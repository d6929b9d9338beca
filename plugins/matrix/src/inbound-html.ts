import { shortName } from "@hermes/core";
import { fromHtml } from "hast-util-from-html";
import { type State, toMdast } from "hast-util-to-mdast";
import { gfmToMarkdown } from "mdast-util-gfm";
import { defaultHandlers, type Handle, toMarkdown } from "mdast-util-to-markdown";
import { userInLink } from "./source.ts";

type Parent = Parameters<State["all"]>[0];
type HtmlNode = Parameters<typeof toMdast>[0];

/**
 * The most HTML that is turned into Markdown. The library's time grows with the square of it: anybody in a room could
 * keep the gateway from everything else for minutes.
 */
const MOST_ELEMENTS = 300;
const DEEPEST = 50;

/**
 * A formatted message as Markdown; null where it has so much markup that its plain text has to do. A mention of the bot
 * at its beginning only says whom the message is for.
 */
export function htmlToMarkdown(
  html: string,
  me: { readonly userId: string; readonly name: string | undefined },
): string | null {
  const read = fromHtml(html, { fragment: true });
  if (!isWithin(read, { elements: MOST_ELEMENTS, depth: DEEPEST })) return null;
  const tree = toMdast(read, {
    handlers: {
      // What a message answers, quoted for clients that know no replies.
      "mx-reply": () => undefined,
      a: (state, node) => {
        const user = userInLink(String(node.properties.href ?? ""));
        if (user === null) return linkOf(state, node);
        return { type: "text", value: user === me.userId ? OWN_NAME : shortName(textOf(node)) || user };
      },
      del: struck,
      s: struck,
      strike: struck,
    },
  });
  const markdown = toMarkdown(tree, {
    bullet: "-",
    rule: "-",
    emphasis: "_",
    listItemIndent: "one",
    extensions: [gfmToMarkdown(), { handlers: { link } }],
  });
  return markdown
    .trim()
    .replace(MENTION_FIRST, "")
    .replaceAll(OWN_NAME, shortName(me.name ?? "") || me.userId);
}

/** Stands for the bot's own name until the beginning is known; from a range that nobody types. */
const OWN_NAME = "\ue000";
const MENTION_FIRST = new RegExp(`^${OWN_NAME}[:,]?\\s*`);

/** What is read may be far more than what is written: elements that close each other wrongly are made again and again. */
function isWithin(root: HtmlNode, { elements, depth }: { readonly elements: number; readonly depth: number }): boolean {
  let left = elements;
  const fits = (node: HtmlNode, levels: number): boolean => {
    if (!("children" in node)) return true;
    return levels >= 0 && --left >= 0 && node.children.every((child) => fits(child, levels - 1));
  };
  return fits(root, depth);
}

function linkOf(state: State, node: Parent & { readonly properties: Readonly<Record<string, unknown>> }) {
  const children = state.all(node) as never;
  return { type: "link" as const, url: String(node.properties.href ?? ""), children };
}

/** An address stands as it is: somebody may copy it from what was read. */
const link: Handle = (node, parent, state, info) => {
  const { url } = node as { readonly url: string };
  if (/[\s()<>]/.test(url)) return defaultHandlers.link(node, parent, state, info);
  const text = state.containerPhrasing(node, { ...info, before: "[", after: "]" });
  return textOf(node) === url ? url : `[${text}](${url})`;
};

function struck(state: State, node: Parent) {
  return { type: "delete" as const, children: state.all(node) as never };
}

function textOf(node: { readonly children: readonly unknown[] }): string {
  return node.children
    .map((child) => {
      const { value, children } = child as { readonly value?: string; readonly children?: readonly unknown[] };
      return value ?? (children ? textOf({ children }) : "");
    })
    .join("");
}
