import type { Database } from "better-sqlite3";
import type { RowRedaction } from "../../base/row-redaction.ts";
import { TITLE_LIMIT } from "../../session/title.ts";
import { cut, foldCase } from "./text.ts";
import { untakenTitle } from "./titles.ts";

/**
 * Redacts what an earlier Hermes, or a process that did not know a secret yet, wrote: titles, names of people and
 * chats, texts of handoffs. Does nothing where nothing is to be taken out. For use inside a transaction.
 */
export function redactWrittenRows(database: Database, redaction: RowRedaction): void {
  redactTitles(database, redaction);
  redactTexts(database, "users", "id", "name", redaction.text);
  for (const column of ["error_text", "flat_because", "link"]) {
    redactTexts(database, "handoffs", "id", column, redaction.text);
  }
  redactTexts(database, "handoffs", "id", "warnings", (json) =>
    JSON.stringify((JSON.parse(json) as string[]).map(redaction.text)),
  );
  redactTexts(database, "homes", "platform || ':' || account", "home", (json) => {
    const home = JSON.parse(json) as { readonly name?: string };
    return home.name === undefined ? json : JSON.stringify({ ...home, name: redaction.text(home.name) });
  });
}

function redactTitles(database: Database, { text }: RowRedaction): void {
  const titled = database
    .prepare<[], { id: string; title: string }>("SELECT id, title FROM sessions WHERE title IS NOT NULL ORDER BY rowid")
    .all();
  const other = database.prepare<[string], { id: string }>("SELECT id FROM sessions WHERE title_folded = ?");
  const update = database.prepare("UPDATE sessions SET title = ?, title_folded = ? WHERE id = ?");
  for (const { id, title } of titled) {
    const safe = withoutCutLookalike(text(title));
    if (safe === title) continue;
    const free = untakenTitle(cut(safe, TITLE_LIMIT), (folded) => (other.get(folded)?.id ?? id) !== id);
    update.run(free, foldCase(free), id);
  }
}

/** A title that was made from a message may have been cut within what looks like a secret: too little is left to tell. */
const CUT_LOOKALIKE = /\b(?:sk-|xox[a-z]-|xapp-|gh[opsur]_|eyJ|(?:bot)?\d{6,}:)[\w.-]{4,}…$/;

function withoutCutLookalike(title: string): string {
  return title.replace(CUT_LOOKALIKE, "[redacted]…");
}

function redactTexts(
  database: Database,
  table: string,
  key: string,
  column: string,
  redact: (text: string) => string,
): void {
  const rows = database
    .prepare<[], { key: string; text: string }>(
      `SELECT ${key} AS key, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL`,
    )
    .all();
  const update = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`);
  for (const { key: row, text } of rows) {
    const safe = redact(text);
    if (safe !== text) update.run(safe, row);
  }
}
