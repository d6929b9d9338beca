import { HermesError } from "../base/errors.ts";
import type { Session } from "../model/session.ts";
import type { CommandContext } from "./command.ts";

/**
 * Whether somebody may change a session of which a command is about: an operator, whoever began it, and in a shared chat
 * everybody there. To be in one by a pass is not enough.
 */
export function mayChange({ isOperator, visible, user }: CommandContext, session: Session): boolean {
  return isOperator || visible.kind === "of-chat" || session.user === user;
}

/** Throws NOT_ALLOWED where somebody may not change the session. */
export function refuseOthers(place: CommandContext, session: Session): void {
  if (!mayChange(place, session)) throw new HermesError("NOT_ALLOWED", {});
}
