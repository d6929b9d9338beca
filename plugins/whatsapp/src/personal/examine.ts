import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Examination, Findings, type HomeChannel, type PluginSetupContext } from "@hermes/core";
import type { WhatsAppOptions } from "../config.ts";
import { hasPersonalLibrary, PERSONAL_LIBRARY } from "../personal-library.ts";
import { isGroupId, isPhoneNumber, linkTo, noteThreads, toId } from "../source.ts";
import { IDENTITY, linkedFolder } from "./linked-folder.ts";

const LINK = "Run `hermes whatsapp link`, and scan the code with the phone.";

/**
 * Checks the linked device's stored state. Does not connect: a second connection with the same credentials would end
 * the gateway's.
 */
export function examinePersonal(options: WhatsAppOptions, { folder }: PluginSetupContext): Examination {
  const { homeChannel } = options;
  const found = new Findings();
  if (!hasPersonalLibrary()) {
    found.problem(
      "The library for linked devices is not installed.",
      `Run \`npm install ${PERSONAL_LIBRARY}\` where the plugin is installed.`,
    );
  }
  const own = ownNumber(found, folder);
  if (own !== null) {
    const link = linkTo(own);
    found.account = { id: own, name: `+${own}`, ...(link === undefined ? {} : { link }) };
    found.ok(`This machine is linked to +${own}. Whether WhatsApp still lets it in shows when a gateway connects.`);
  }
  if (homeChannel !== undefined) examineHome(found, options, homeChannel, own);
  return found.toExamination();
}

/** The number of the linked account; null if none is linked. */
function ownNumber(found: Findings, folder: string): string | null {
  const name = linkedFolder(folder);
  if (name === null) {
    found.problem("No device is linked yet.", LINK);
    return null;
  }
  try {
    const { me } = Object(JSON.parse(readFileSync(join(folder, name, IDENTITY), "utf8"))) as {
      readonly me?: { readonly id?: unknown };
    };
    const id = toId(String(me?.id ?? ""));
    if (isPhoneNumber(id)) return id;
  } catch {
    // Unreadable credentials count as none.
  }
  found.problem("The credentials of the linked device cannot be read.", LINK);
  return null;
}

function examineHome(found: Findings, options: WhatsAppOptions, home: HomeChannel, own: string | null): void {
  const id = toId(home.chatId);
  noteThreads(found, home);
  if (id === own) found.ok("The home channel is the account's chat with itself.");
  else if (isGroupId(id)) examineGroup(found, options, home);
  else if (isPhoneNumber(id)) found.ok(`Whether +${id} is on WhatsApp shows when a gateway connects.`);
  else if (!id.endsWith("@lid")) {
    found.problem(
      `The home channel ${JSON.stringify(home.chatId)} is no number.`,
      "Write a number with its country code, such as +49 170 1234567, or a group's id (…@g.us).",
    );
  }
}

function examineGroup(found: Findings, { allowedUsers, operators }: WhatsAppOptions, home: HomeChannel): void {
  found.ok(`Whether the account may write in ${toId(home.chatId)} shows when a gateway connects.`);
  if (!home.shared) {
    const message = "The home channel is a group: its members would read each session that is handed off.";
    found.problem(message, "If that is intended, set `shared: true` on it.");
  }
  if (allowedUsers.length > 0 || operators.length > 0) return;
  found.warning(
    "The config names nobody: nobody is answered in the group.",
    "Name people by their numbers in `allowedUsers` or `operators`.",
  );
}
