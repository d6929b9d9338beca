import type { RowRedaction } from "../../base/row-redaction.ts";
import { TITLE_LIMIT } from "../../model/title.ts";
import type { Connection } from "./connection.ts";
import { cut, foldCase } from "./text.ts";
import { untakenTitle } from "./titles.ts";

type Rows = Pick<Connection, "all" | "get" | "run">;

/** The redacted text for one column of a row. */
interface Replacement {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly row: string;
  readonly text: string;
}

/**
 * Redacts rows that an earlier Hermes wrote, or a process that did not know a secret yet: titles, names of people and
 * chats, texts of handoffs. For use inside a transaction. It is also a migration, so it reads columns of version 2,
 * and those of later ones only where they are there.
 */
export function redactWrittenRows(rows: Rows, redaction: RowRedaction): void {
  for (const { table, key, column, row, text } of unredactedRows(rows, redaction)) {
    if (column === "title") renameSession(rows, row, text);
    else if (table === "people") renamePerson(rows, row, text);
    else rows.run(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, text, row);
  }
}

/** Finds what {@link redactWrittenRows} would write; mostly nothing. */
export function unredactedRows(rows: Rows, { text }: RowRedaction): Replacement[] {
  const found = (table: string, key: string, column: string, redact: (written: string) => string) =>
    rows
      .all<{ row: string; text: string }>(
        `SELECT ${key} AS row, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${key}`,
      )
      .flatMap(({ row, text: written }) => {
        const safe = redact(written);
        return safe === written ? [] : [{ table, key, column, row, text: safe }];
      });
  return [
    ...found("sessions", "id", "title", (title) => cut(withoutCutLookalike(text(title)), TITLE_LIMIT)),
    ...found("users", "id", "name", text),
    ...(hasPeople(rows)
      ? [
          ...found("people", "id", "name", text),
          ...found("person_identities", "json_array(platform, account, key)", "name", text),
        ]
      : []),
    ...["error_text", "flat_because", "link", ...placeColumn(rows)].flatMap((column) =>
      found("handoffs", "id", column, text),
    ),
    ...found("handoffs", "id", "warnings", (json) => JSON.stringify((JSON.parse(json) as string[]).map(text))),
    ...found("homes", "platform || ' ' || account", "home", (json) => {
      const home = JSON.parse(json) as { readonly name?: string };
      return home.name === undefined ? json : JSON.stringify({ ...home, name: text(home.name) });
    }),
  ];
}

/** Renames a session. Redacted titles may be equal: the second gets a number. */
function renameSession(rows: Rows, id: string, wanted: string): void {
  const title = untakenTitle(wanted, (folded) => {
    const other = rows.get<{ id: string }>("SELECT id FROM sessions WHERE title_folded = ?", folded);
    return other !== undefined && other.id !== id;
  });
  rows.run("UPDATE sessions SET title = ?, title_folded = ? WHERE id = ?", title, foldCase(title), id);
}

/** Renames a person, in the same way. */
function renamePerson(rows: Rows, id: string, wanted: string): void {
  const name = untakenTitle(wanted, (folded) => {
    const other = rows.get<{ id: string }>("SELECT id FROM people WHERE name_folded = ?", folded);
    return other !== undefined && other.id !== id;
  });
  rows.run("UPDATE people SET name = ?, name_folded = ? WHERE id = ?", name, foldCase(name), id);
}

/** Whether there are people yet: a file of an earlier version is redacted before it knows any. */
function hasPeople(rows: Rows): boolean {
  return rows.get("SELECT 1 FROM sqlite_schema WHERE name = 'person_identities'") !== undefined;
}

/** The end of a title that was shortened within what looks like a secret, of which too little is left to recognise. */
const CUT_LOOKALIKE = /\b(?:sk-|xox[a-z]-|xapp-|gh[opsur]_|eyJ|(?:bot)?\d{6,}:)[\w.-]{4,}…$/;

function withoutCutLookalike(title: string): string {
  return title.replace(CUT_LOOKALIKE, "[redacted]…");
}

/** The column `place` if it exists: a file of an earlier version is redacted before it gets this column. */
function placeColumn(rows: Rows): string[] {
  return rows.all("SELECT 1 FROM pragma_table_info('handoffs') WHERE name = 'place'").length === 0 ? [] : ["place"];
}
