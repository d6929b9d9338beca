/** What stands between a path and the rest of a word: `-F f=@x;type=y`, `HEAD:x`, `concat:a|x`, git's `:(top)x`. */
const CUT = /[=:,;@<+?#|{}]|(?<=^:\((?![^)]*exclude)[^)]*)\)/g;
/** Up to so many cuts, a path may have some in its own name. */
const MOST_CUTS = 8;
const MOST_SPELLINGS = 16;
/** Programs that show the names of files and nothing of what is in them. */
const LISTING = new Set(["find", "fd", "fdfind", "ls", "tree"]);
/** What a program that reads patterns may find by one. */
const FOUND: readonly string[] = [
  ...[".env", ".env.local", ".git", ".ssh", ".aws", ".npmrc", ".netrc", ".git-credentials", ".pgpass"],
  ...["id_rsa", "id_ed25519", "config", "credentials"],
];

/**
 * All in a word that a program may take for a path: the word, what stands in it between signs, behind the letters of
 * options, in the path of a URL, and what its braces and patterns may become. Null where that is too much to be told.
 */
export function pathsInWord(program: string, word: string): ReadonlySet<string> | null {
  const words = spellings(word);
  if (words === null || /^-[^\W_]{65}/.test(word)) return null;
  const parts = words.flatMap(partsOf).flatMap((part) => [part, ...behindHost(part)]);
  const found = LISTING.has(program) ? parts : parts.flatMap((part) => [part, ...matched(part)]);
  return new Set(found.filter((part) => part !== "" && !part.startsWith("-") && !part.includes("\0")));
}

/** A word, and what programs that read URLs make of it: `%2Eenv` and `.e{n,}v` are `.env`. Null for too many. */
export function spellings(word: string): string[] | null {
  const found = new Set([word, decoded(word)]);
  for (const one of found) {
    // Braces with quotes or blanks in them are of JSON or of a script.
    const [group, inner] = /\{([^{}\s"'$]*)\}/.exec(one) ?? [];
    if (group === undefined || inner === undefined) continue;
    for (const alternative of inner.split(",")) found.add(one.replace(group, () => alternative));
    if (found.size > MOST_SPELLINGS) return null;
  }
  return [...found];
}

function decoded(word: string): string {
  return word.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll("%", ""), "hex").toString());
}

function partsOf(word: string): string[] {
  const cuts = [...word.matchAll(CUT)].map(({ index }) => index);
  const ends = [...cuts, word.length];
  const parts =
    cuts.length <= MOST_CUTS
      ? [0, ...behindLetters(word), ...cuts.map((at) => at + 1)].flatMap((start) =>
          ends.filter((end) => end > start).map((end) => word.slice(start, end)),
        )
      : [word, ...behindLetters(word).map((at) => word.slice(at, ends[0])), ...word.split(CUT)];
  // curl passes over blanks and quotation marks there.
  return /(?:^|=)[@<]/.test(word) ? [...parts, ...parts.map((part) => part.replaceAll(/^\s*"?|"?\s*$/g, ""))] : parts;
}

/** Wherever options of one letter may end: `-vt.git` is `-v -t .git`. */
function behindLetters(word: string): number[] {
  const [letters = ""] = /^-[^\W_]+/.exec(word) ?? [];
  return Array.from({ length: Math.max(letters.length - 1, 0) }, (_, at) => at + 2);
}

/** `//localhost/x` of a URL is `/x`, and `//x` of some is `x`. */
function behindHost(part: string): string[] {
  const [, rest, path = ""] = /^\/\/+([^/]*(\/.*)?)$/s.exec(part) ?? [];
  return rest === undefined ? [] : [rest, path];
}

/** The paths that a pattern may mean, of those that matter: `.e*` means `.env`. One that says nearly nothing means none. */
function matched(part: string): string[] {
  if (!/[*?[]/.test(part)) return [];
  let paths = [""];
  for (const [at, component] of part.split("/").entries()) {
    const names = /[*?[]/.test(component) ? FOUND.filter((name) => fits(component, name)) : [];
    const all = names.length === 0 ? [component] : names;
    paths = paths
      .flatMap((path) => all.map((name) => (at === 0 ? name : `${path}/${name}`)))
      .slice(0, FOUND.length ** 2);
  }
  return paths;
}

function fits(pattern: string, name: string): boolean {
  let said = 0;
  const source = pattern.replaceAll(/\*+|\?|\[!?[^\]]+\]|./gs, (token) => {
    if (token.startsWith("*")) return ".*";
    if (token === "?") return ".";
    const isClass = token.length > 2;
    if (!isClass || name.startsWith(".")) said++;
    if (!isClass) return token.replace(/[\\^$.|+()[\]{}]/, "\\$&");
    return token.replaceAll(/[\\^]/g, "\\$&").replace(/^\[!/, "[^");
  });
  try {
    return said >= 2 && new RegExp(`^${source}$`, "is").test(name);
  } catch {
    return false;
  }
}
