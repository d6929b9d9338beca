import { HermesError } from "../base/errors.ts";
import { CODE_LASTS_MS, newCode, readCode, shownCode } from "../model/code.ts";
import type { Command } from "./command.ts";

export const linkCommand: Command = {
  name: "link",
  description: "Link this account to you: get a code here and type it in the terminal",
  inTerminal: "Link an account of yours: get a code here and send it to the bot, or type one that a chat gave",
  category: "Setup",
  aliases: [],
  argumentHint: "[code]",
  privateOnly: true,
  tellsNoSession: true,
  immediate: true,
  async run(place, argument) {
    if (place.link !== undefined) {
      const code = argument === "" ? null : readCode(argument);
      if (argument !== "" && code === null) throw new HermesError("CODE_INVALID", {});
      return { reply: await place.link(code) };
    }
    const { sender: who } = place;
    if (who === undefined) throw new HermesError("COMMAND_NOT_HERE", { name: "link", where: "in a private chat" });
    if (argument !== "") throw new HermesError("CODE_INVALID", {});
    const code = newCode();
    const ttlMs = CODE_LASTS_MS.link;
    await place.store.codes.create({
      ...{ code, kind: "link", issuer: place.user, person: null, sessionId: null, who, ttlMs },
    });
    const shown = shownCode(code);
    return {
      reply: `Type this in the terminal within 10 minutes: \`hermes link ${shown}\`. It shows this account and asks whether it is yours.`,
      isSecret: true,
    };
  },
};
