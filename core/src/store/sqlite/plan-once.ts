/** Texts and quoted names, which are left alone, or a parameter, with the plus before it where there is one. */
const PARAMETER = /'[^']*'|"[^"]*"|(\+)?([?]|[$]\w+)/g;

/**
 * Has SQLite plan a statement once and not at each run. Where a value could tell it which index to use, such as an index
 * of some rows only, it would look at each value that is bound, and plan anew each time, which takes ten times as long as
 * running the statement. It does not look at an expression, so each parameter becomes one.
 */
export function plannedOnce(sql: string): string {
  return sql.replaceAll(PARAMETER, (all, plus: string | undefined, name: string | undefined) =>
    name === undefined || plus !== undefined ? all : `+${name}`,
  );
}
