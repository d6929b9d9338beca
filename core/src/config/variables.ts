export interface UnsetVariable {
  readonly path: readonly (string | number)[];
  readonly variable: string;
}

/**
 * Puts the environment's values where `${NAME}` stands, in every text of the config. `$${NAME}` stays `${NAME}`.
 * A variable that is not set is told rather than left standing: it would be sent as it is, or sign something.
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
 * The variable that `key: process.env.NAME` takes in a config that is code, where it is not set. Null where the
 * source does not say it that plainly.
 */
export function unsetVariableFor(key: string, source: string, environment: NodeJS.ProcessEnv): string | null {
  for (const [, name, variable] of source.matchAll(/(\w+)\s*:\s*process\.env(?:\.|\[["'])(\w+)/g)) {
    if (name === key && variable !== undefined && environment[variable] === undefined) return variable;
  }
  return null;
}
