import type { Table } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { pad } from "./styled-text.ts";
import { columnsOf } from "./terminal-text.ts";

/** A table as lines of text with aligned columns, for a code block: what a platform without tables can show. */
export function tableText({ children: rows, align }: Table): string {
  const cells = rows.map((row) => row.children.map((cell) => textOf(cell).replaceAll(/\s+/g, " ").trim()));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, x) => Math.max(1, ...cells.map((row) => columnsOf(row[x] ?? ""))));
  const lines = cells.map((row) =>
    widths
      .map((width, x) => pad(row[x] ?? "", columnsOf(row[x] ?? ""), width, align?.[x] ?? "left"))
      .join(" │ ")
      .trimEnd(),
  );
  const [head = "", ...body] = lines;
  return [head, widths.map((width) => "─".repeat(width)).join("─┼─"), ...body].join("\n");
}
