/** Compiles a pattern for a text: `*` is any characters within one part of a path, `**` any at all, `?` one character. */
export function pathPattern(pattern: string): RegExp {
  return new RegExp(`^${starred(pattern, "[^/]*", "[^/]").replace(/\/\.\*$/, "(?:/.*)?")}$`, "s");
}

/** The same for what is no path: `*` is any characters. */
export function textPattern(pattern: string): RegExp {
  return new RegExp(`^${starred(pattern, ".*", ".")}$`, "s");
}

function starred(pattern: string, star: string, one: string): string {
  return pattern.replaceAll(/\*\*\/|\*+|\?|[^*?]+/g, (part) => {
    if (part === "**/") return "(?:.*/)?";
    if (part.startsWith("**")) return ".*";
    if (part === "*") return star;
    return part === "?" ? one : part.replaceAll(/[\\^$.|+()[\]{}]/g, "\\$&");
  });
}
