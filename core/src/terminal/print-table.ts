import picocolors from "picocolors";
import type { Output } from "./output.ts";
import { Styled } from "./styled.ts";
import { renderTable } from "./table.ts";

/** Writes a table of plain texts: as wide as the screen, with long cells wrapped; in a pipe each row is one line. */
export function printTable(output: Output, head: readonly string[], rows: readonly (readonly string[])[]): void {
  const { isScreen, color, columns } = output.io;
  const children = [head, ...rows].map((cells) => ({
    type: "tableRow" as const,
    children: cells.map((value) => ({
      type: "tableCell" as const,
      children: [{ type: "text" as const, value: Styled.from(value).ansi }],
    })),
  }));
  const width = isScreen ? columns() : Number.POSITIVE_INFINITY;
  const context = { colors: picocolors.createColors(color) };
  for (const line of renderTable({ type: "table", children }, width, context)) output.line(Styled.rendered(line));
}
