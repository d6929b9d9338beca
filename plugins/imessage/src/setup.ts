import { Findings, type HomeChannel, type PluginSetup, type SetupQuestion, shortName } from "@hermes/core";
import { Api } from "./api.ts";
import { type IMessageOptions, isThisMachine } from "./config.ts";
import { Directory, identifierOf } from "./directory.ts";
import { type HomeParts, homeConversation } from "./home.ts";
import { loginsOf, type ServerInfo } from "./wire.ts";

const PAGE = "https://bluebubbles.app/install/";

const NO_PRIVATE_API = "Without the Private API Hermes types and edits nothing, and marks nothing as read.";

const QUESTIONS: readonly SetupQuestion[] = [
  {
    option: "url",
    label: "The address of the BlueBubbles server",
    steps: [
      `Install BlueBubbles Server on the Mac, from ${PAGE}, and give it Full Disk Access`,
      "Sign in to Messages there, and keep the Mac awake: System Settings, Energy",
      "Open BlueBubbles, choose a password, and leave the proxy at LAN URL",
    ],
    page: PAGE,
    default: "http://127.0.0.1:1234",
  },
  {
    option: "password",
    label: "The password of the server",
    variable: "BLUEBUBBLES_PASSWORD",
    steps: ["It is the one on BlueBubbles' page API & Webhooks."],
  },
];

/** What `hermes init` asks for, and `hermes doctor` checks. */
export const setup: PluginSetup<IMessageOptions> = {
  title: "iMessage",
  summary: "private chats and groups, through a BlueBubbles server on a Mac of yours; no threads",
  ways: [
    { name: "own", title: "an Apple account of Hermes' own on the Mac", questions: QUESTIONS },
    { name: "yours", title: "your own Apple account: Hermes lives in your chat with yourself", questions: QUESTIONS },
  ],
  /** Asks the server about itself, the account and the home channel. Nothing is sent, received or registered. */
  async examine(options, { logger, signal }) {
    const found = new Findings();
    await found.during(async () => {
      const api = new Api(options, { logger });
      const info = await api.info(signal);
      found.ok(`BlueBubbles ${info.server_version ?? ""} answers on macOS ${info.os_version ?? ""}.`);
      examineAccount(found, info);
      examinePrivateApi(found, info);
      examineWebhook(found, options);
      const { homeChannel: home } = options;
      const directory = new Directory({ api, logger, options });
      if (home !== undefined) await found.during(() => examineHome(found, home, { directory, options }, signal));
    });
    return found.toExamination();
  },
};

function examineAccount(found: Findings, info: ServerInfo): void {
  const [id] = loginsOf(info);
  if (id === undefined) {
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

async function examineHome(found: Findings, home: HomeChannel, parts: HomeParts, signal: AbortSignal) {
  if (home.requireThread) {
    const hint = "Leave `requireThread` out: the session then lands in the chat itself.";
    found.problem("Messages has no threads, and the home channel requires one: no handoff can land.", hint);
  }
  const conversation = await homeConversation(home, parts, signal);
  if (conversation.kind === "dm") return found.ok("The home channel is a chat on the Mac.");
  const chat = await parts.directory.chat(conversation, signal);
  found.ok(`The home channel is the group "${shortName(chat.displayName || identifierOf(chat))}".`);
  if (home.shared) return;
  found.problem(
    `The home channel is a group: its ${chat.participants.length} people would read each session that is handed off.`,
    "If that is intended, set `shared: true` on it.",
  );
}
