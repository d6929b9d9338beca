import { HermesError } from "../base/errors.ts";
import type { Session, SessionMode } from "../model/session.ts";
import { isRaised, meaningOf, readMode, SESSION_MODES } from "../model/session-mode.ts";
import type { Command, CommandContext } from "./command.ts";
import { mayChange } from "./may-change.ts";

export const modeCommand: Command = {
  name: "mode",
  description: "Show or set how much the agent asks in this session",
  category: "Session",
  aliases: [],
  argumentHint: "[default|edits|plan]",
  immediate: true,
  async run(place, argument) {
    const current = await modeAt(place);
    if (argument === "") {
      const others = SESSION_MODES.filter((mode) => mode !== current);
      const lines = others.map((mode) => `- \`${place.typed(`mode ${mode}`)}\` ${meaningOf(mode)}`);
      return { reply: `${inMode(current)}\n${lines.join("\n")}` };
    }
    const wanted = readMode(argument);
    if (wanted === null) {
      const reason = `There is no mode ${argument}: the modes are ${SESSION_MODES.join(", ")}`;
      throw new HermesError("USAGE", { reason, command: "hermes chat" });
    }
    await setMode(place, wanted);
    return { reply: inMode(wanted) };
  },
};

function inMode(mode: SessionMode): string {
  return `This session is in the mode **${mode}**: ${meaningOf(mode)}.`;
}

/** The mode of the place's session, or of the one that the next message begins. */
export async function modeAt(place: CommandContext): Promise<SessionMode> {
  return (await place.session())?.mode ?? place.nextMode ?? "default";
}

/** Whether somebody may set a mode for a session, or for the one that the next message begins. */
export function mayUseMode(place: CommandContext, session: Session | null, mode: SessionMode): boolean {
  if (isRaised(session?.mode ?? place.nextMode ?? "default", mode) && !place.isOperator) return false;
  return session === null || mayChange(place, session);
}

/** Sets the mode of the place's session, or of the one that the next message begins. Throws NOT_ALLOWED. */
export async function setMode(place: CommandContext, mode: SessionMode): Promise<void> {
  const current = await place.session();
  if (!mayUseMode(place, current, mode)) throw new HermesError("NOT_ALLOWED", {});
  if (current === null && place.nextMode !== undefined) {
    place.nextMode = mode;
    return;
  }
  const { id } = current ?? (await place.startSession());
  if (!(await place.store.sessions.setMode(id, mode))) throw new HermesError("SESSION_UNKNOWN", { reference: id });
}
