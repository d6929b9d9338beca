import { codeSpan } from "../escape-markdown.ts";
import type { TextOptions } from "./text-dialect.ts";

/**
 * The `escape` of a {@link textDialect} for a platform that has no escape characters: a word that would be taken for markup
 * stands as code, which reads the same and adds no invisible character. `markup` finds it in a word, `atLineStart` in the
 * first word of a line.
 *
 * @example
 * ```ts
 * textDialect({ escape: markupAsCode(/[*_~`@]/, /^(?:#+|[-+>]|\d+[.)])$/), … });
 * // 2 * 3, and @all → 2 `*` 3, and `@all`
 * ```
 */
export function markupAsCode(markup: RegExp, atLineStart?: RegExp): TextOptions["escape"] {
  const [anywhere, first] = [markup, atLineStart].map(
    // A pattern that is global remembers where it was.
    (pattern) => pattern && new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, "")),
  );
  return (text, isLineStart) => {
    let isFirst = isLineStart;
    return text
      .split(/(\s+)/)
      .map((part) => {
        if (part === "") return part;
        if (part.trim() === "") {
          isFirst ||= /[\r\n]/.test(part);
          return part;
        }
        const isMarkup = anywhere?.test(part) === true || (isFirst && first?.test(part) === true);
        isFirst = false;
        return isMarkup ? codeSpan(part) : part;
      })
      .join("");
  };
}
