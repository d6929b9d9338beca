import {
  type List,
  type ListItem,
  type Nodes,
  type PhrasingContent,
  parseSections,
  type RootContent,
  safeLink,
  type Table,
} from "@hermes/core/markdown";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { reachable } from "../view/reachable.ts";
import { CodeBlock } from "./code-block.tsx";
import { VisibleControls } from "./visible-controls.tsx";

/**
 * A text of the agent, of which nothing is trusted: it becomes elements one by one, never markup. Raw HTML is shown as
 * text, only web and mail addresses are links, and nothing is loaded from elsewhere.
 */
export function Markdown({ text }: { text: string }) {
  // The same vnodes for the same text: Preact then leaves what it drew alone.
  return useMemo(
    () => <div class="markdown">{Array.from(parseSections(text), ({ root }) => renderAll(root.children))}</div>,
    [text],
  );
}

function renderAll(nodes: readonly Nodes[]): ComponentChildren {
  return nodes.map((node, index) => <Node key={index} node={node} />);
}

function Node({ node }: { node: Nodes }) {
  const inside = "children" in node ? renderAll(node.children as RootContent[]) : null;
  switch (node.type) {
    case "text":
      return <>{node.value}</>;
    case "paragraph":
      return <p>{inside}</p>;
    case "heading":
      return <Heading depth={node.depth}>{inside}</Heading>;
    case "emphasis":
      return <em>{inside}</em>;
    case "strong":
      return <strong>{inside}</strong>;
    case "delete":
      return <del>{inside}</del>;
    case "inlineCode":
      return (
        <code dir="ltr">
          <VisibleControls text={node.value} />
        </code>
      );
    case "break":
      return <br />;
    case "code":
      return <CodeBlock code={node.value} language={node.lang ?? null} />;
    case "blockquote":
      return <blockquote dir="auto">{inside}</blockquote>;
    case "thematicBreak":
      return <hr />;
    case "list":
      return <ListView node={node} />;
    case "listItem":
      return <ItemView node={node}>{inside}</ItemView>;
    case "table":
      return <TableView node={node} />;
    case "link":
      return <Link url={node.url}>{inside}</Link>;
    case "image":
      return <Link url={node.url}>{`Image: ${node.alt || node.url}`}</Link>;
    case "html":
      return <span class="plain">{node.value}</span>;
    case "footnoteReference":
      return <sup>{node.label ?? node.identifier}</sup>;
    case "footnoteDefinition":
      return (
        <div class="footnote">
          <sup>{node.label ?? node.identifier}</sup> {inside}
        </div>
      );
    default:
      return null;
  }
}

/** The page has its own headings above these. */
function Heading({ depth, children }: { depth: number; children: ComponentChildren }) {
  const Tag = (["h3", "h4", "h5"] as const)[depth - 1] ?? "h6";
  return <Tag class="heading">{children}</Tag>;
}

function Link({ url, children }: { url: string; children: ComponentChildren }) {
  const href = safeLink(url);
  if (href === null) return <span title={url}>{children}</span>;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer">
      <bdi>{children}</bdi>
    </a>
  );
}

function ListView({ node }: { node: List }) {
  const items = renderAll(node.children);
  return node.ordered ? (
    <ol start={node.start ?? 1} dir="auto">
      {items}
    </ol>
  ) : (
    <ul dir="auto">{items}</ul>
  );
}

function ItemView({ node, children }: { node: ListItem; children: ComponentChildren }) {
  if (typeof node.checked !== "boolean") return <li>{children}</li>;
  return (
    <li class="task">
      <input type="checkbox" checked={node.checked} disabled aria-label={node.checked ? "done" : "to do"} />
      <div>{children}</div>
    </li>
  );
}

function TableView({ node }: { node: Table }) {
  const [head, ...rows] = node.children;
  const cells = (row: (typeof rows)[number], Cell: "th" | "td") =>
    row.children.map((cell, index) => (
      <Cell key={index} class={`align-${node.align?.[index] ?? "start"}`}>
        {renderAll(cell.children as PhrasingContent[])}
      </Cell>
    ));
  return (
    <section class="table" {...reachable} aria-label="Table">
      <table>
        {head && (
          <thead>
            <tr>{cells(head, "th")}</tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>{cells(row, "td")}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
