import { type Token, token } from "./tokens.ts";

/** The secrets that this process knows by value. It grows when a plugin gets one by itself, such as the token of a session. */
export const SECRETS: Token<Set<string>> = token("secrets");

/** Makes something of known secrets when it is first needed, and anew once they are more, where they are a `Set`. */
export function madeOfSecrets<T>(secrets: Iterable<string>, make: (secrets: readonly string[]) => T): () => T {
  let made: { readonly of: number; readonly it: T } | null = null;
  return () => {
    const of = secrets instanceof Set ? secrets.size : 0;
    if (made?.of !== of) made = { of, it: make([...secrets]) };
    return made.it;
  };
}
