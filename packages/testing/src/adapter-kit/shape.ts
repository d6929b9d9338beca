/**
 * Compares the shape of a JSON value with that of a recorded one: the type of each value, and the names of fields. Of a
 * list each element must have the shape of one of the recorded ones; an empty recorded list says nothing of them.
 * `optional` names fields that may be missing, as in `result[].from.username`. Returns what differs, each in a sentence.
 */
export function shapeFaults(
  found: unknown,
  recorded: unknown,
  optional: ReadonlySet<string> = new Set(),
  path = "",
): string[] {
  const at = path === "" ? "the answer" : path;
  if (typeOf(found) !== typeOf(recorded)) return [`${at} is ${typeOf(found)}; recorded was ${typeOf(recorded)}`];
  if (Array.isArray(found) && Array.isArray(recorded)) {
    const [first] = recorded;
    if (recorded.length === 0) return [];
    return found.flatMap((element) => {
      const faults = recorded.map((one) => shapeFaults(element, one, optional, `${path}[]`));
      return faults.some(({ length }) => length === 0) ? [] : (faults[recorded.indexOf(first)] ?? []);
    });
  }
  if (!isFields(found) || !isFields(recorded)) return [];
  const inner = (name: string) => (path === "" ? name : `${path}.${name}`);
  const missing = Object.keys(recorded).filter((name) => !(name in found) && !optional.has(inner(name)));
  const unknown = Object.keys(found).filter((name) => !(name in recorded));
  const shared = Object.keys(recorded).filter((name) => name in found);
  return [
    ...missing.map((name) => `${inner(name)} is missing`),
    ...unknown.map((name) => `${inner(name)} was not recorded`),
    ...shared.flatMap((name) => shapeFaults(found[name], recorded[name], optional, inner(name))),
  ];
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return value === undefined ? "nothing" : `a ${typeof value}`;
}
