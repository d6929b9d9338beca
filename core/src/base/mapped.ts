/** Maps the fields or elements of `value`, and field names by `rename`; returns `value` itself when nothing changes. */
export function mapped(
  value: unknown,
  map: (inner: unknown, name: string | null) => unknown,
  rename?: (name: string) => string,
): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mappedList(value, map);
  const fields = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | null = null;
  // Not `Object.entries`, for speed: this runs for every row of every stored message.
  for (const name in fields) {
    const inner = fields[name];
    const safe = map(inner, name);
    const field = rename === undefined ? name : rename(name);
    if (field === name && safe === inner) continue;
    copy ??= { ...fields };
    if (field !== name) delete copy[name];
    copy[field] = safe;
  }
  return copy ?? value;
}

function mappedList(list: readonly unknown[], map: (inner: unknown, name: null) => unknown): readonly unknown[] {
  let copy: unknown[] | null = null;
  for (let at = 0; at < list.length; at++) {
    const safe = map(list[at], null);
    if (safe === list[at]) continue;
    copy ??= [...list];
    copy[at] = safe;
  }
  return copy ?? list;
}
