import { HermesError } from "../base/errors.ts";
import { ageText } from "../base/text.ts";
import { CODE_LASTS_MS, newCode, shownCode } from "../model/code.ts";
import type { UserId } from "../model/session.ts";
import { senderAt } from "./code-sender.ts";
import type { Command } from "./command.ts";
import { sessionName } from "./session-list.ts";

export const passCommand: Command = {
  name: "pass",
  description: "Make a code that gives this session once, at another place",
  category: "Session",
  aliases: [],
  argumentHint: "[anyone]",
  operatorsOnly: true,
  async run(place, argument) {
    if (place.surface !== "terminal") senderAt(place, "pass");
    const whom = argument.trim().toLowerCase();
    if (whom !== "" && whom !== "anyone") {
      const reason = `\`${place.typed("pass")}\` is for yourself, \`${place.typed("pass anyone")}\` for whoever sends it first`;
      throw new HermesError("USAGE", { reason, command: "hermes pass" });
    }
    const session = await place.session();
    if (session === null) throw new HermesError("SESSION_UNKNOWN", { reference: "here" });
    const person: UserId | null = whom === "anyone" ? null : place.user;
    const code = newCode();
    const ttlMs = CODE_LASTS_MS.pass;
    await place.store.codes.create({
      ...{ code, kind: "pass", issuer: place.user, person, sessionId: session.id, who: null, ttlMs },
    });
    const name = `**${sessionName(session)}**`;
    return { reply: passText(code, { name, isForAnyone: person === null, ttlMs }), isSecret: true };
  },
};

interface PassWords {
  /** Of the session. */
  readonly name: string;
  readonly isForAnyone: boolean;
  /** The person for whom it is, where that is somebody else. */
  readonly whom?: string | undefined;
  readonly ttlMs: number;
}

/** Says what a pass is good for, and how it is used. */
export function passText(code: string, { name, isForAnyone, whom, ttlMs }: PassWords): string {
  const shown = shownCode(code);
  const gives = `\`${shown}\` gives ${name}${whom === undefined ? "" : ` to ${whom}`} once, within ${ageText(ttlMs)}.`;
  const how = `Send it to the bot in a private chat, or type \`hermes continue ${shown}\` in a terminal.`;
  if (whom !== undefined) return `${gives} They send it to the bot in a private chat.`;
  return isForAnyone
    ? `${gives} Whoever sends it to the bot first, in a private chat, talks in this session and does nothing else.`
    : `${gives} ${how}`;
}
