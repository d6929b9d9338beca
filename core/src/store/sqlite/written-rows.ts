/** What a statement writes: the name of a table, `away` for that column of the sessions; null where it may be anything. */
export function writtenRows(sql: string): string | null {
  const [, table, columns] =
    /^\s*(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE(?:\s+OR\s+\w+)?)\s+(\w+)(?:\s+SET\s+(\w+))?/i.exec(sql) ?? [];
  if (table === undefined) return null;
  return table === "sessions" && columns === "away" ? "away" : table;
}
