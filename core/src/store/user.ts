import type { UserId } from "../model/session.ts";

/** What is kept of people: the names they go by, and how many strangers were turned away. */
export interface UserStore {
  /** Notes the name that a user goes by. */
  note(user: UserId, name: string): Promise<void>;
  name(user: UserId): Promise<string | null>;
  /** Counts a message of somebody who is not allowed. Nothing else is kept of it. */
  countRefused(platform: string, account: string | undefined): Promise<void>;
  refused(platform: string, account: string | undefined): Promise<number>;
}
