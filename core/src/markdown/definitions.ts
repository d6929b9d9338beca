import type { Nodes } from "mdast";

/** Addresses that links and images refer to by name, by that name. Of two with one name the first counts, as in CommonMark. */
export type Definitions = ReadonlyMap<string, string>;

/** The definitions of a text, wherever in it they stand. */
export function definitionsIn(root: Nodes): Definitions {
  const urls = new Map<string, string>();
  const collect = (node: Nodes): void => {
    if (node.type === "definition" && !urls.has(node.identifier)) urls.set(node.identifier, node.url);
    if ("children" in node) node.children.forEach(collect);
  };
  collect(root);
  return urls;
}
