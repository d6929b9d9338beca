import Database from "better-sqlite3";

/** The content of a SQLite file. */
export interface EveryColumn {
  /** Each value of each column of each table, as text; also the words in full-text indexes. */
  readonly values: readonly { readonly column: string; readonly value: string }[];
  /** Text columns without any value. */
  readonly empty: readonly string[];
}

/** Reads a SQLite file by its own list of tables and columns, so that a test covers those that are added later. */
export function everyColumnOf(file: string): EveryColumn {
  const database = new Database(file);
  try {
    const tables = database
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, coalesce(sql, '') AS sql FROM sqlite_schema WHERE type = 'table'",
      )
      .all();
    const indexes = tables.filter(({ sql }) => /USING fts5\(/i.test(sql)).map(({ name }) => name);
    for (const name of indexes) {
      database.exec(`CREATE VIRTUAL TABLE temp."${name}_words" USING fts5vocab(main, '${name}', row)`);
    }
    const isShadow = (table: string) => indexes.some((index) => table.startsWith(`${index}_`));
    const read = [
      ...tables.map(({ name }) => name).filter((name) => !indexes.includes(name)),
      ...indexes.map((name) => `${name}_words`),
    ];
    const values: { column: string; value: string }[] = [];
    const empty: string[] = [];
    for (const table of read) {
      const columns = database.prepare<[string], { name: string; type: string }>(
        "SELECT name, type FROM pragma_table_info(?)",
      );
      for (const { name, type } of columns.all(table)) {
        const column = `${table}.${name}`;
        const found = database
          .prepare<[], unknown>(`SELECT "${name}" FROM "${table}" WHERE "${name}" IS NOT NULL`)
          .pluck()
          .all();
        if (found.length === 0 && type === "TEXT" && !isShadow(table)) empty.push(column);
        for (const value of found)
          values.push({ column, value: Buffer.isBuffer(value) ? value.toString() : String(value) });
      }
    }
    return { values, empty };
  } finally {
    database.close();
  }
}
