import type { Table } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { pad } from "./styled-text.ts";
import { columnsOf } from "./text-width.ts";

/** The maximum width of a column: a longer cell sticks out instead of widening the whole column. */
const WIDEST_COLUMN = 40;

/** Renders a table as lines of text with aligned columns, for a code block on a platform without tables. */
export function tableText({ children: rows, align }: Table): string {
  const widths: number[] = [];
  const cells = rows.map((row) =>
    row.children.map((cell, x) => {
      const text = textOf(cell).replaceAll(/\s+/g, " ").trim();
      const columns = columnsOf(text);
      widths[x] = Math.max(widths[x] ?? 1, Math.min(columns, WIDEST_COLUMN));
      return { text, columns };
    }),
  );
  const lines = cells.map((row) =>
    row
      .map(({ text, columns }, x) => pad(text, columns, widths[x] ?? 1, align?.[x] ?? "left"))
      // A row with missing cells ends with one more separator.
      .concat(row.length < widths.length ? [""] : [])
      .join(" │ ")
      .trimEnd(),
  );
  const [head = "", ...body] = lines;
  return [head, widths.map((width) => "─".repeat(width)).join("─┼─"), ...body].join("\n");
}
