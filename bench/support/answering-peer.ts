/** A bot made with Vercel's Chat SDK that answers at once, with its state in memory. */
import { createMemoryState } from "@chat-adapter/state-memory";
import { createTelegramAdapter } from "@chat-adapter/telegram";
import { Chat, ConsoleLogger } from "chat";
import { noteAsked, tell } from "./tell-asked.ts";

const logger = new ConsoleLogger("error");
const [apiUrl = "", botToken = ""] = process.argv.slice(2);

const telegram = createTelegramAdapter({ mode: "polling", apiUrl, botToken, logger });
const chat = new Chat({ userName: "peer", adapters: { telegram }, state: createMemoryState(), logger });
chat.onDirectMessage(async (thread, message) => {
  noteAsked(message.text);
  await thread.post("Done.");
});

process.once("disconnect", () => process.exit());
await chat.initialize();
tell({ ready: true });
