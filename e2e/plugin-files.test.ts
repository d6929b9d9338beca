import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { tableRowsIn } from "./support/markdown-page.ts";

const root = resolve(import.meta.dirname, "..");
const guide = readFileSync(join(root, "docs/writing-an-adapter.md"), "utf8");

/** The names of the roles, such as `receive`. */
const ROLES = tableRowsIn(guide.replaceAll("\n### ", "\n## "), "One role, one file").map(([name = ""]) =>
  name.replaceAll("`", ""),
);

/** What only its protocol needs, by the folder of sources, and why. A name with a slash is a folder. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "plugins/discord/src": {
    channels: "Discord names a thread without its parent, which is looked up and remembered",
    commands: "slash commands are registered, and come as interactions",
    connect: "puts more together than adapter.ts has room for",
    "discord-reader": "reads the API without discord.js, which a check must not load",
    "examine-home": "the rights in the home channel, worked out from roles",
    "forum-tag": "a forum may want a tag on every post",
    "gateway-connection": "discord.js' connection to Discord's gateway",
    history: "what was missed is read from the channels",
    kinds: "kinds of channels, for what must not load discord.js",
    "make-thread": "a thread is made in one of three ways, by the kind of channel and the rights",
    rights: "which rights a bot lacks in a channel",
    settings: "where people find Discord's settings",
    uploads: "how large a file may be depends on the server's boosts",
  },
  "plugins/imessage/src": {
    api: "the client of the BlueBubbles server",
    connection: "what receiving and sending share",
    directory: "chats by their people, people by the Mac's contacts",
    events: "webhooks and the socket, which only hint at messages",
    liveness: "whether the Mac's helper and its account work",
    sent: "Hermes' own words, told from those of the account's owner",
    wire: "the shapes of what the server answers",
  },
  "plugins/matrix/src": {
    api: "the client of the client-server API",
    attachments: "files, which may be encrypted",
    bot: "one session of the bot, with all that belongs to it",
    "crypto/": "end-to-end encryption",
    "examine-home": "the room, its powers and its encryption",
    "examine-session": "whose session it is, or a login for the check alone",
    guests: "who may talk where anybody can invite the bot",
    "homeserver-reader": "reads the API without writing",
    "inbound-html": "messages are HTML",
    intake: "events of one sync, by room, with gaps filled",
    invitations: "rooms are entered by invitation",
    power: "rights are levels of power",
    references: "replies, polls and shared places",
    rooms: "the state of rooms, kept from one process to the next",
    session: "logging in, tokens, and the keys that belong to them",
    "store/": "keys and rooms in a file",
    unencrypted: "what comes unencrypted into an encrypted room",
    waiting: "messages whose keys have not come yet",
    wire: "the shapes of events and answers",
  },
  "plugins/signal/src": {
    account: "the account in signal-cli, and what it can do",
    attachment: "a file is a text within signal-cli's JSON",
    "daemon-client": "calls signal-cli's daemon",
    directory: "contacts and groups, as the account knows them",
    envelope: "the shapes of what signal-cli hands on",
    "event-journal": "signal-cli acknowledges nothing, so events are kept",
    "event-stream": "server-sent events, which fall silent when lost",
    "inbound-text": "mentions and styles are ranges beside the text",
    "numbers-of-people": "numbers behind ids, which pass to other people",
    "own-notes": "notes to oneself come back as if the owner wrote them",
    problems: "captchas, rate limits and safety numbers, for the health",
    references: "what a message quotes",
  },
  "plugins/slack/src": {
    api: "the client of the Web API",
    attachments: "files are fetched with the token, from Slack alone",
    connect: "puts more together than adapter.ts has room for",
    directory: "messages name people and channels by ids alone",
    history: "pages of a channel's messages",
    identity: "who the bot is, and which scopes it has",
    missed: "what was missed is read from channels and threads",
    mrkdwn: "Slack's markup, read",
    "share-file": "a file is shared in three calls, and found again",
    socket: "socket mode: acknowledged when kept, replaced before its end",
    "socket-connection": "one connection of socket mode",
    "writing-status": "the status of an assistant, which has to be renewed",
  },
  "plugins/telegram/src": {
    "bot-api": "calls the Bot API by grammY",
    "chat-ids": "a group that becomes a supergroup gets another id",
    commands: "commands are registered with the Bot API",
    kinds: "stickers, polls and what else a message can be",
  },
  "plugins/web/src": {
    cli: "`hermes web open`",
    "server/": "the page's server",
    "storage/": "the page's file: it is the platform itself",
  },
  "plugins/whatsapp/src": {
    cli: "`hermes whatsapp link`",
    "cloud/": "the Cloud API, with the same roles",
    markup: "WhatsApp's markup, read",
    people: "one person has a number and ids that hide it",
    "personal/": "a linked device, with the same roles",
    "personal-library": "the library for it is installed by whoever wants it",
  },
  "plugins/whatsapp/src/cloud": {
    "delivery-reports": "Meta reports what became of a message by webhook",
    "graph-client": "calls the Graph API",
    liveness: "nobody tells a webhook's server that it cannot be reached",
    "media-types": "files that a business number may send",
    wire: "the shapes of webhooks",
  },
  "plugins/whatsapp/src/personal": {
    account: "the device's account and groups",
    arrivals: "messages are kept before WhatsApp hears that they arrived",
    attachments: "files are downloaded and decrypted",
    content: "messages within messages",
    credentials: "the device's keys",
    intake: "decrypted messages, in order within a chat",
    "keeping-repository": "decrypts, and keeps what it decrypted at once",
    "key-store": "the keys of Signal's sessions",
    libsignal: "mends of the library that decrypts",
    link: "links a device, by a code",
    "linked-folder": "where the linked device is kept",
    "media-crypto": "encrypts files",
    references: "what a message quotes",
    socket: "one connection of the library",
    "upload-file": "files are stored on WhatsApp's servers",
  },
  "packages/create-hermes-plugin/template/src": { api: "the client of Acme's API" },
};

/** The sources in a folder by what they are called, without tests; the way that a scaffold's file is for is left out. */
function namesIn(folder: string): Set<string> {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const names = entries.flatMap((entry) => {
    if (entry.isDirectory()) return `${entry.name}/`;
    return /\.test\.ts$/.test(entry.name) ? [] : entry.name.replace(/(?:\.(?:polling|webhook|socket))?\.ts$/, "");
  });
  return new Set(names);
}

it("the guide's roles are those that an adapter's files are named for", () => {
  expect(ROLES).toContain("receive");
  expect(ROLES.length).toBeGreaterThan(10);
});

it("each plugin has a list of the files that only its protocol needs", () => {
  const plugins = readdirSync(join(root, "plugins")).map((name) => `plugins/${name}/src`);
  expect(plugins.filter((folder) => !(folder in OWN))).toEqual([]);
});

it.each(Object.entries(OWN))("%s has no file without a role or a reason", (folder, own) => {
  const names = namesIn(folder);
  const strays = [...names].filter((name) => !ROLES.includes(name) && !(name in own));
  expect(strays, "a file is named for its role, or listed with its reason").toEqual([]);
  const gone = Object.keys(own).filter((name) => !names.has(name) || ROLES.includes(name));
  expect(gone, "what has a reason is there, and is no role").toEqual([]);
});
