import { isPluginDescriptor } from "../plugin/descriptor.ts";

export interface UnsetVariable {
  readonly path: readonly (string | number)[];
  readonly variable: string;
}

/**
 * Puts the environment's values where `${NAME}` stands, in every text of the config. `$${NAME}` stays `${NAME}`.
 * An unset variable is an error, not kept as text: it would be sent as it is, or sign something.
 */
export function expandVariables(
  config: unknown,
  environment: NodeJS.ProcessEnv,
): { readonly config: unknown; readonly unset: readonly UnsetVariable[] } {
  const unset: UnsetVariable[] = [];
  const expand = (value: unknown, path: readonly (string | number)[]): unknown => {
    if (typeof value === "string") {
      return value.replaceAll(/(\$?)\$\{([A-Za-z_]\w*)\}/g, (written, dollar: string, variable: string) => {
        if (dollar) return written.slice(1);
        const found = environment[variable];
        if (found === undefined) unset.push({ path, variable });
        return found ?? written;
      });
    }
    if (Array.isArray(value)) return value.map((inner, index) => expand(inner, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expand(inner, [...path, name])]));
  };
  return { config: expand(config, []), unset };
}

/**
 * The variables that are not set where a config that is code says `key: process.env.NAME`: the key is there, and has no
 * value. Where the key may as well be left out nothing else would tell, and a default would be taken in silence. One
 * with a default of its own behind it (`?? "localhost"`) has a value.
 */
export function unsetInCode(config: unknown, source: string, environment: NodeJS.ProcessEnv): UnsetVariable[] {
  const written = unsetIn(source, environment);
  const paths = pathsWithoutValue(config);
  return paths.flatMap((path) => {
    const key = path.at(-1);
    const variables = written.flatMap((one) => (one.key === key ? one.variable : []));
    const places = paths.filter((other) => other.at(-1) === key);
    // As many as are written: the one at the same turn. Else it cannot be told which of them it is.
    const meant = variables.length === places.length ? variables.slice(places.indexOf(path)).slice(0, 1) : variables;
    return meant.length === 0 ? [] : { path, variable: [...new Set(meant)].join(" or ") };
  });
}

/** `process.env.A`, also `process.env.A ?? process.env.B`, behind a key. */
const TAKEN = /([\w$-]+)["']?\s*:\s*\(?((?:process\.env(?:\.\w+|\[["']\w+["']\])!?\s*(?:\?\?|\|\|)?\s*)+)/g;
const COMMENTS = /^\s*(?:\/\/.*$|\/\*[\s\S]*?\*\/)/gm;

function unsetIn(
  source: string,
  environment: NodeJS.ProcessEnv,
): { readonly key: string; readonly variable: string }[] {
  return [...source.replaceAll(COMMENTS, "").matchAll(TAKEN)].flatMap(([, key = "", taken = ""]) => {
    const names = [...taken.matchAll(/env\W+(\w+)/g)].map(([, name = ""]) => name);
    const variable = names.find((name) => environment[name] === undefined);
    const hasValue = /[?|]\s*$/.test(taken) || names.some((name) => environment[name]);
    return variable === undefined || hasValue ? [] : { key, variable };
  });
}

/** Where a key is there without a value: in the config, and in the options of its plugins. */
function pathsWithoutValue(config: unknown): (readonly (string | number)[])[] {
  const found: (readonly (string | number)[])[] = [];
  // A program's objects may lead back to themselves.
  const seen = new Set<object>();
  const look = (value: unknown, path: readonly (string | number)[]): void => {
    if (value === undefined) found.push(path);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (isPluginDescriptor(value)) {
      look(value.options, path);
      return;
    }
    const isList = Array.isArray(value);
    if (!isList && !isPlain(value)) return;
    for (const [key, inner] of isList ? value.entries() : Object.entries(value)) look(inner, [...path, key]);
  };
  look(config, []);
  return found;
}

/** Whether a value is an object as JSON has them: no list, and of no class. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
