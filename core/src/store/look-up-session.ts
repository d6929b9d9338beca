import type { Session, UserId, Visibility } from "../model/session.ts";
import type { Store } from "./store.ts";

/** What names a session and no other to somebody: its title, or its id where it has none or several have that title. */
export async function referenceTo(
  { sessions }: Pick<Store, "sessions">,
  { id, title }: Pick<Session, "id" | "title">,
  visible: Visibility,
): Promise<string> {
  if (title === null) return id;
  const called = await sessions.find(title, visible);
  return called.length === 1 && called[0]?.id === id ? title : id;
}

/** The sessions that a reference matches, with their ids; where several people began them, with whose they are. */
export async function listFound(store: Store, sessions: readonly Session[]): Promise<string> {
  const isOfSeveral = new Set(sessions.map(({ user }) => user)).size > 1;
  const names = sessions.map(async ({ id, title, user }) => {
    const facts = [
      ...(title === null ? [] : [id as string]),
      ...(isOfSeveral ? [`begun by ${await nameOfUser(store, user)}`] : []),
    ];
    return facts.length === 0 ? id : `${title ?? id} (${facts.join(", ")})`;
  });
  return (await Promise.all(names)).join(", ");
}

/** What a user is called; the id where nobody knows. */
export async function nameOfUser({ people, users }: Store, user: UserId): Promise<string> {
  return (await people.get(user))?.name ?? (await users.name(user)) ?? user;
}
