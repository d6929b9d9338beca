import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AdapterEvents } from "../../adapter/adapter.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import { layPager } from "../test-plugin.ts";

export const PAGER_TOKEN = "pager-token-7f3a91c0d2";

/** Lays a plugin for a pager into a folder: it imports nothing, takes one token, and one of its own is beside the test. */
export function installPager(folder: string): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { "hermes-plugin-pager": "*" } }));
  layPager(folder, MAIN, SETUP);
}

/** Somebody writes to the pager's bot, while it is connected. */
export async function writeToPager(
  text: string,
  { id = "u1", name = "Ada", kind = "dm" }: { id?: string; name?: string; kind?: "dm" | "group" } = {},
): Promise<void> {
  const message: InboundMessage = {
    conversation: { platform: "pager", chatId: `chat-${id}`, kind },
    messageId: `m${Math.random()}`,
    sender: { id, name },
    text,
    sentAt: 0,
  };
  await connected()?.receive(message);
}

export function isPagerConnected(): boolean {
  return connected() !== null;
}

function connected(): AdapterEvents | null {
  return (globalThis as { pagerEvents?: AdapterEvents | null }).pagerEvents ?? null;
}

const MAIN = `
const brand = (name) => Symbol.for("hermes:brand:" + name);
const branded = (value, name) => Object.defineProperty(value, brand(name), { value: true });

const schema = {
  "~standard": {
    version: 1,
    vendor: "pager",
    validate: (options) =>
      typeof options.token === "string" && options.token.startsWith("pager-")
        ? { value: options }
        : { issues: [{ message: "has to begin with pager-", path: ["token"] }] },
  },
};

const adapter = () =>
  branded(
    {
      platform: "pager",
      capabilities: {},
      start: async (events) => void (globalThis.pagerEvents = events),
      stop: async () => void (globalThis.pagerEvents = null),
      health: () => ({ state: "up" }),
      buildSessionKey: ({ kind, chatId }) => ["agent:main:pager", kind, chatId].join(":"),
    },
    "PlatformAdapter",
  );

export const pager = branded(
  (options = {}) =>
    branded(
      {
        package: "hermes-plugin-pager",
        platform: "pager",
        apiVersion: 2,
        schema,
        options,
        create: async () => adapter(),
      },
      "PluginDescriptor",
    ),
  "PluginFunction",
);
`;

const SETUP = `
export const setup = {
  title: "Pager",
  summary: "beeps",
  ways: [
    {
      name: "bot",
      title: "a bot",
      questions: [
        { option: "token", label: "The bot's token", variable: "PAGER_TOKEN", steps: ["Ask the pager."], page: "https://pager.example" },
      ],
    },
  ],
  async examine({ token, homeChannel }) {
    if (homeChannel?.chatId === "chat-nowhere") {
      return { account: null, findings: [{ state: "problem", message: "The bot is not in chat-nowhere.", hint: "Let it in." }] };
    }
    if (homeChannel?.chatId === "chat-crowd" && !homeChannel.shared) {
      const hint = "If that is intended, set \`shared: true\` on it.";
      return { account: null, findings: [{ state: "problem", message: "Nine people read chat-crowd.", hint }] };
    }
    if (token !== "${PAGER_TOKEN}") {
      return { account: null, findings: [{ state: "problem", message: "Pager does not know " + token + ".", hint: "Copy it again." }] };
    }
    return { account: { id: "b", name: "@beeper" }, findings: [{ state: "ok", message: "The bot is @beeper." }] };
  },
};
`;
