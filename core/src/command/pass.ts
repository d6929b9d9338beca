import { readPassTime } from "../base/duration.ts";
import { HermesError } from "../base/errors.ts";
import { shellWord } from "../base/shell-word.ts";
import { ageText } from "../base/text.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import { CODE_LASTS_MS, newCode, shownCode } from "../model/code.ts";
import type { UserId } from "../model/session.ts";
import type { Command } from "./command.ts";
import { findPerson } from "./find-person.ts";
import { sessionName } from "./session-list.ts";

export const passCommand: Command = {
  name: "pass",
  description: "Make a one-time code that opens this session at another place",
  category: "Session",
  aliases: [],
  argumentHint: "[--for <person>|--anyone] [--ttl <time>]",
  operatorsOnly: true,
  privateOnly: true,
  async run(place, argument) {
    const asked = readPassWords(argument);
    if (asked === null) {
      const session = argument.trim();
      if (!/^(?:[-\u2013\u2014]|(?:anyone|for|ttl)\b)/.test(session)) {
        const [alone, forThem] = ["pass", `pass --for ${session}`].map((text) => place.typed(text));
        const other = `\`hermes pass ${shellWord(session)}\` in a terminal one for another session`;
        const reason = `\`${alone}\` makes a code for the session here, ${other}, \`${forThem}\` one for a person`;
        throw new HermesError("USAGE", { reason, command: "hermes pass" });
      }
      const [alone, forAda, anyone] = ["pass", "pass --for Ada", "pass --anyone --ttl 30m"].map((text) =>
        place.typed(text),
      );
      const reason = `\`${alone}\` is for yourself, \`${forAda}\` for Ada, \`${anyone}\` for whoever sends it first`;
      throw new HermesError("USAGE", { reason, command: "hermes pass" });
    }
    const session = await place.session();
    if (session === null) throw new HermesError("SESSION_UNKNOWN", { reference: "here" });
    const { isForAnyone, ttlMs } = asked;
    const named = asked.whom === null ? null : await findPerson(place.store, asked.whom);
    const person: UserId | null = isForAnyone ? null : (named?.id ?? place.user);
    const code = newCode();
    await place.store.codes.create({
      ...{ code, kind: "pass", issuer: place.user, person, sessionId: session.id, who: null, ttlMs },
    });
    const words = {
      name: `**${sessionName(session)}**`,
      isForAnyone,
      ttlMs,
      whom: named && escapeMarkdown(named.name),
    };
    return { reply: passText(code, words), isSecret: true };
  },
};

interface AskedPass {
  /** Null for whoever asks, or anyone. */
  readonly whom: string | null;
  readonly isForAnyone: boolean;
  readonly ttlMs: number;
}

/** Reads what was typed behind `/pass`; null where it is not meant so. Phones make a long dash of two short ones. */
export function readPassWords(argument: string): AskedPass | null {
  const words = argument.trim().replaceAll(/(?<=^|\s)[\u2013\u2014](?=\w)/g, "--");
  let asked: AskedPass = { whom: null, isForAnyone: false, ttlMs: CODE_LASTS_MS.pass };
  for (const option of words === "" ? [] : words.split(/\s+(?=--)/)) {
    const [, name, value = ""] = /^(?:--)?(\w+)(?:[\s=]+(.*))?$/s.exec(option) ?? [];
    const text = value.replaceAll(/^["'“]|["'”]$/g, "").trim();
    const ttlMs = name === "ttl" ? readPassTime(text) : null;
    if (name === "anyone" && text === "") asked = { ...asked, isForAnyone: true };
    else if (name === "for" && text !== "") asked = { ...asked, whom: text };
    else if (ttlMs !== null) asked = { ...asked, ttlMs };
    else return null;
  }
  return asked.isForAnyone && asked.whom !== null ? null : asked;
}

interface PassWords {
  /** Of the session. */
  readonly name: string;
  readonly isForAnyone: boolean;
  /** The person for whom it is, where that is somebody else. */
  readonly whom?: string | null | undefined;
  readonly ttlMs: number;
}

/** Says what a pass is good for, and how it is used. */
export function passText(code: string, { name, isForAnyone, whom, ttlMs }: PassWords): string {
  const shown = shownCode(code);
  const gives = `\`${shown}\` gives ${name}${whom == null ? "" : ` to ${whom}`} once, within ${ageText(ttlMs)}.`;
  const how = `Send it to the bot in a private chat, or type \`hermes continue ${shown}\` in a terminal.`;
  if (whom != null) return `${gives} They send it to the bot in a private chat.`;
  return isForAnyone
    ? `${gives} Whoever sends it to the bot first, in a private chat, talks in this session and does nothing else.`
    : `${gives} ${how}`;
}
