import type { Table } from "mdast";
import { toString as textOf } from "mdast-util-to-string";
import { pad } from "./styled-text.ts";
import { columnsOf } from "./text-width.ts";

/** A cell that is longer sticks out, rather than push the others of its column out with it. */
const WIDEST_COLUMN = 40;

/** A table as lines of text with aligned columns, for a code block: what a platform without tables can show. */
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
      // What is missing at the end of a row leaves a last line between the columns.
      .concat(row.length < widths.length ? [""] : [])
      .join(" │ ")
      .trimEnd(),
  );
  const [head = "", ...body] = lines;
  return [head, widths.map((width) => "─".repeat(width)).join("─┼─"), ...body].join("\n");
}
