import type { Nodes, Root } from "@hermes/core/markdown";

/** The addresses that a text's references name. */
export interface Definitions {
  urlOf(reference: { readonly identifier: string }): string;
}

export function definitionsIn(root: Root): Definitions {
  const urls = new Map<string, string>();
  const look = (node: Nodes): void => {
    // The first one of a name counts.
    if (node.type === "definition" && !urls.has(node.identifier)) urls.set(node.identifier, node.url);
    if ("children" in node) node.children.forEach(look);
  };
  look(root);
  return { urlOf: ({ identifier }) => urls.get(identifier) ?? "" };
}
