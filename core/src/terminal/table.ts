import type { Table, TableCell } from "mdast";
import { pad, plain, type Span, wrap } from "../markdown/styled-text.ts";
import { columnsOf } from "../markdown/text-width.ts";
import { renderInline, type TerminalContext } from "./inline.ts";

/** The minimum width to which a column is narrowed to make a table fit. */
const NARROWEST_COLUMN = 8;

/** Renders a table with aligned columns; a text that does not fit is wrapped within its cell. */
export function renderTable({ children: rows, align }: Table, width: number, context: TerminalContext): string[] {
  const { colors } = context;
  const columns = Math.max(...rows.map((row) => row.children.length));
  const cells = rows.map((row, y) =>
    Array.from({ length: columns }, (_, x) => renderCell(row.children[x], y === 0, context)),
  );
  const widths = fitColumns(
    Array.from({ length: columns }, (_, x) => Math.max(1, ...cells.map((row) => widthOf(row[x] ?? [])))),
    width - 3 * (columns - 1),
  );
  const lines = cells.map((row) => {
    const wrapped = row.map((cell, x) => wrapMeasured(cell, widths[x] ?? 1));
    const height = Math.max(...wrapped.map((cell) => cell.length));
    return Array.from({ length: height }, (_, y) =>
      wrapped
        .map((cell, x) => {
          const { text, columns } = cell[y] ?? { text: "", columns: 0 };
          return pad(text, columns, widths[x] ?? 1, align?.[x] ?? "left");
        })
        .join(` ${colors.dim("│")} `)
        .trimEnd(),
    );
  });
  const [head = [], ...body] = lines;
  const rule = colors.dim(widths.map((columns) => "─".repeat(columns)).join("─┼─"));
  return [...head, rule, ...body.flat()];
}

function renderCell(cell: TableCell | undefined, isHead: boolean, context: TerminalContext): Span[] {
  return renderInline(cell?.children ?? [], context, isHead ? context.colors.bold : plain);
}

/** Narrows the widest columns until all fit, by finding the largest common maximum width. */
function fitColumns(natural: readonly number[], width: number): number[] {
  const total = (widest: number) => natural.reduce((sum, one) => sum + Math.min(one, widest), 0);
  let widest = NARROWEST_COLUMN;
  let tooWide = Math.max(...natural) + 1;
  if (total(tooWide) <= width) return [...natural];
  while (widest + 1 < tooWide) {
    const middle = (widest + tooWide) >> 1;
    if (total(middle) <= width) widest = middle;
    else tooWide = middle;
  }
  // The rest goes to the first columns that are still too narrow.
  let left = width - total(widest);
  return natural.map((one) => (one > widest && left-- > 0 ? widest + 1 : Math.min(one, widest)));
}

/** Wraps a cell and measures its lines: on the plain text, since escape sequences have no width. */
function wrapMeasured(cell: readonly Span[], width: number): { text: string; columns: number }[] {
  const bare = wrap(
    cell.map(({ text }) => ({ text, style: plain })),
    width,
  );
  return wrap(cell, width).map((text, at) => ({ text, columns: columnsOf(bare[at] ?? "") }));
}

function widthOf(cell: readonly Span[]): number {
  return columnsOf(cell.map(({ text }) => text).join(""));
}
