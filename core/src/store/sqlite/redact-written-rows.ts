import type { RowRedaction } from "../../base/row-redaction.ts";
import { TITLE_LIMIT } from "../../model/title.ts";
import type { Connection } from "./connection.ts";
import { cut, foldCase } from "./text.ts";
import { isTitleTaken, type TitledSession, untakenTitle, writeTitle } from "./titles.ts";

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

type Find = (table: string, key: string, column: string, redact: (written: string) => string) => Replacement[];

/** Finds what {@link redactWrittenRows} would write; mostly nothing. */
export function unredactedRows(rows: Rows, { text }: RowRedaction): Replacement[] {
  const found: Find = (table, key, column, redact) =>
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
    ...laterNames(rows, text, found),
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
  const session = rows.get<TitledSession>("SELECT id, user, origin FROM sessions WHERE id = ?", id);
  if (session === undefined) return;
  const title = untakenTitle(wanted, (folded) =>
    areTitlesUnique(rows) ? isAnybodys(rows, folded, id) : isTitleTaken(rows, folded, session),
  );
  writeTitle(rows, session.id, title);
}

/** Whether a file is of an earlier version, which lets no two people have a title. */
function areTitlesUnique(rows: Rows): boolean {
  return rows.get("SELECT 1 FROM sqlite_schema WHERE name = 'sessions_titled'") === undefined;
}

function isAnybodys(rows: Rows, folded: string, but: string): boolean {
  return rows.get("SELECT 1 FROM sessions WHERE title_folded = ? AND id <> ?", folded, but) !== undefined;
}

/** Renames a person, in the same way. */
function renamePerson(rows: Rows, id: string, wanted: string): void {
  const name = untakenTitle(wanted, (folded) => {
    const other = rows.get<{ id: string }>("SELECT id FROM people WHERE name_folded = ?", folded);
    return other !== undefined && other.id !== id;
  });
  rows.run("UPDATE people SET name = ?, name_folded = ? WHERE id = ?", name, foldCase(name), id);
}

/** What later versions keep that a model, a person or a platform named. */
function laterNames(rows: Rows, text: (written: string) => string, found: Find): Replacement[] {
  const inJson = (isText: (name: string) => boolean) => (json: string) =>
    JSON.stringify(withTexts(JSON.parse(json), text, isText));
  const named = inJson((name) => name === "name");
  const columns = [
    // What runs is not in it: all of it is words.
    ["sessions", "id", "state", inJson((name) => name !== "model")],
    ["sessions", "id", "away", named],
    ["compactions", "number", "summary", text],
    ["compactions", "number", "facts", inJson(() => true)],
    ["compactions", "number", "work", inJson((name) => name !== "model")],
    ["handoffs", "id", "target", named],
    ["places", "key", "name", text],
    ["places", "key", "called", text],
    ["codes", "number", "who", named],
    ["asks", "id", "message", inJson((name) => name === "markdown")],
    ["asks", "id", "outcomes", inJson(() => true)],
    ["growing_texts", "turn_id", "text", text],
  ] as const;
  return columns
    .filter(([table, , column]) => hasColumn(rows, table, column))
    .flatMap(([table, key, column, redact]) => found(table, key, column, redact));
}

/** The value with its texts redacted: those below a name that `isText` accepts. */
function withTexts(value: unknown, text: (written: string) => string, isText: (name: string) => boolean): unknown {
  const within = (one: unknown, isHere: boolean): unknown => {
    if (typeof one === "string") return isHere ? text(one) : one;
    if (Array.isArray(one)) return one.map((item) => within(item, isHere));
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, within(part, isText(name))]));
  };
  return within(value, false);
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
  return hasColumn(rows, "handoffs", "place") ? ["place"] : [];
}

function hasColumn(rows: Rows, table: string, column: string): boolean {
  return rows.get("SELECT 1 FROM pragma_table_info(?) WHERE name = ?", table, column) !== undefined;
}
