import type { MatrixApi } from "./api.ts";

/** What people call themselves; undefined where they do not, or the server does not say. Asked once for each. */
export function createNames(api: MatrixApi): (userId: string) => Promise<string | undefined> {
  const asked = new Map<string, Promise<string | undefined>>();
  return (userId) => {
    const known = asked.get(userId);
    if (known) return known;
    const name = api.displayName(userId).catch(() => {
      // The next message is worth another question.
      asked.delete(userId);
      return undefined;
    });
    asked.set(userId, name);
    return name;
  };
}
