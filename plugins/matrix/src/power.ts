import { type Content, numberOf, objectOf } from "./wire.ts";

/** A level that is too low, and the one that is needed. */
export interface MissingPower {
  readonly own: number;
  readonly needed: number;
}

/** Why a user may not send events of a type, by a room's levels ("m.room.power_levels"); null where they may. */
export function missingPower(levels: Content, userId: string, type: string): MissingPower | null {
  const own = numberOf(objectOf(levels.users)[userId]) ?? numberOf(levels.users_default) ?? 0;
  const needed = numberOf(objectOf(levels.events)[type]) ?? numberOf(levels.events_default) ?? 0;
  return own >= needed ? null : { own, needed };
}

/** What a moderator does about it. */
export const MORE_POWER = "A moderator gives it more in the room's settings, under Roles & Permissions.";
