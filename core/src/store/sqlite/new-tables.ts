import type { Database } from "better-sqlite3";

/**
 * Statements that make the tables of a database which has just been made, with the few rows that are in them. Run on an
 * empty file they leave what its migrations would, in a fifth of the time.
 */
export function statementsFor(database: Database): string {
  const made = database
    .prepare<[], { sql: string; isTrigger: number }>(
      `SELECT s.sql, s.type = 'trigger' AS isTrigger FROM sqlite_schema AS s
       LEFT JOIN pragma_table_list AS t ON t.schema = 'main' AND t.name = s.name
       WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND t.type IS NOT 'shadow'
       ORDER BY s.rowid`,
    )
    .all();
  const sqlOf = (isTrigger: number) => made.filter((one) => one.isTrigger === isTrigger).map(({ sql }) => sql);
  // The triggers last: they do not apply to rows that were there before.
  return [...sqlOf(0), ...rowsOf(database), ...sqlOf(1)].map((statement) => `${statement};`).join("\n");
}

function rowsOf(database: Database): string[] {
  const tables = database
    .prepare<[], { name: string }>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .all();
  return tables
    .filter(({ name }) => !name.startsWith("sqlite_"))
    .flatMap(({ name }) => {
      const columns = database
        .prepare<[string], { name: string }>("SELECT name FROM pragma_table_info(?)")
        .all(name)
        .map((column) => column.name);
      // A row is as old as the file that it is in.
      const written = columns.map((column) => (column === "created_at" ? `'${NOW}'` : `quote("${column}")`));
      const values = database
        .prepare<[], string>(`SELECT ${written.join(` || ', ' || `)} FROM "${name}"`)
        .pluck()
        .all();
      return values.map(
        (value) => `INSERT INTO "${name}" (${columns.map((column) => `"${column}"`).join(", ")}) VALUES (${value})`,
      );
    });
}

const NOW = "unixepoch() * 1000";
