import { type Examination, Findings, type HomeChannel, type PluginSetupContext, shortName } from "@hermes/core";
import { Api } from "./api.ts";
import { type IMessageOptions, isThisMachine } from "./config.ts";
import { Directory, identifierOf } from "./directory.ts";
import { findHome } from "./home.ts";
import type { ServerInfo } from "./wire.ts";

const NO_PRIVATE_API = "Without the Private API Hermes types and edits nothing, and marks nothing as read.";

/** Asks the server about itself, the account and the home channel. Nothing is sent, received or registered. */
export async function examine(options: IMessageOptions, { logger, signal }: PluginSetupContext): Promise<Examination> {
  const found = new Findings();
  await found.during(async () => {
    const api = new Api(options, { logger });
    const info = await api.info(signal);
    found.ok(`BlueBubbles ${info.server_version ?? ""} answers on macOS ${info.os_version ?? ""}.`);
    examineAccount(found, info);
    examinePrivateApi(found, info);
    examineWebhook(found, options);
    const { homeChannel } = options;
    if (homeChannel !== undefined) {
      const directory = new Directory({ api, logger, options });
      await found.during(() => examineHome(found, homeChannel, options, directory, signal));
    }
  });
  return found.toExamination();
}

function examineAccount(found: Findings, { detected_imessage: login, detected_icloud: cloud }: ServerInfo): void {
  const id = (login ?? cloud ?? "").replace(/^[ep]:/i, "");
  if (id === "") {
    found.problem("No account is signed in to Messages on the Mac.", "Open Messages there, and sign in to iMessage.");
    return;
  }
  found.account = { id, name: id };
  found.ok(`Messages on the Mac is signed in as ${shortName(id)}.`);
}

function examinePrivateApi(found: Findings, { private_api: isOn, helper_connected: isConnected }: ServerInfo): void {
  if (isOn && isConnected) found.ok("The Private API is on: Hermes shows that it types, and can edit.");
  else if (isOn)
    found.warning(
      `The Private API is on, and its helper is not connected. ${NO_PRIVATE_API}`,
      "Restart Messages on the Mac.",
    );
  else found.ok(`The Private API is off. ${NO_PRIVATE_API}`);
}

function examineWebhook(found: Findings, { url, webhook }: IMessageOptions): void {
  if (isThisMachine(url) || webhook.url !== undefined) return;
  found.ok("New messages come over the server's socket; set `webhook.url` to take its webhooks, too.");
}

async function examineHome(
  found: Findings,
  home: HomeChannel,
  options: IMessageOptions,
  directory: Directory,
  signal: AbortSignal,
): Promise<void> {
  if (home.requireThread) {
    const hint = "Leave `requireThread` out: the session then lands in the chat itself.";
    found.problem("Messages has no threads, and the home channel requires one: no handoff can land.", hint);
  }
  const { conversation, chat } = await findHome(home, directory, options, signal);
  if (conversation.kind === "dm") return found.ok("The home channel is a chat on the Mac.");
  found.ok(`The home channel is the group "${shortName(chat.displayName || identifierOf(chat))}".`);
  if (home.shared) return;
  found.problem(
    `The home channel is a group: its ${chat.participants.length} people would read each session that is handed off.`,
    "If that is meant, set `shared: true` on it.",
  );
}
