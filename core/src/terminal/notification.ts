import { oneLine } from "../base/one-line.ts";
import type { Io } from "./io.ts";

/** `osc9`: a notification of the desktop where the terminal can show one, and the bell. */
export type NotificationKind = "osc9" | "bell" | "off";

/** The longest text of a notification, in code points. */
const LONGEST = 160;

/** Calls a person to the window, who looks elsewhere. A terminal that cannot show notifications ignores them. */
export function notify({ draws, stdout, environment }: Io, kind: NotificationKind, text: string): void {
  if (kind === "off" || !draws) return;
  const shown = [...oneLine(text)].slice(0, LONGEST).join("");
  const sequence = `\x1b]9;${shown}\x07`;
  // The console of Linux would show it as text; tmux hands on only what is wrapped.
  const isPassedOn = kind === "osc9" && environment.TERM !== "linux";
  const wrapped = environment.TMUX ? `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\` : sequence;
  stdout.write(isPassedOn ? `${wrapped}\x07` : "\x07");
}
