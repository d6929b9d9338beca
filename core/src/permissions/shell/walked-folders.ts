export interface Places {
  readonly directory: string | null;
  /** The folder that a command runs in. */
  readonly folder: string;
  /** Hermes' home. */
  readonly home: string;
}

/** What of a word may be a path: the word, and what stands in it behind an option's name. */
export function pathsIn(word: string): Set<string> {
  const parts = [word, ...word.split(/[=:,]/), word.replace(/^-{1,2}\w/, "")];
  return new Set(parts.filter((part) => part !== "" && !part.startsWith("-")));
}
