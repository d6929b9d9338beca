/** Each kind of mention, with the word that allows it ("Allowed Mentions Object"). */
const MENTIONS = [
  { kind: "everyone", pattern: /@(?:everyone|here)\b/g },
  { kind: "users", pattern: /<@!?\d+>/g },
  { kind: "roles", pattern: /<@&\d+>/g },
] as const;

/** Whom a message notifies: all that it mentions, unless the call that sent it allows less. */
export function notifiedBy(content: string, allowed: unknown): string[] {
  const { parse } = Object(allowed) as { parse?: unknown };
  return MENTIONS.filter(({ kind }) => !Array.isArray(parse) || parse.includes(kind)).flatMap(
    ({ pattern }) => content.match(pattern) ?? [],
  );
}
