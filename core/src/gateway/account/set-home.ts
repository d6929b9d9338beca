import type { Conversation } from "../../adapter/conversation.ts";
import type { Sender } from "../../adapter/message.ts";
import type { HomeWatch } from "./home-watch.ts";

/** /sethome: returns the result as a sentence for the person who asked. */
export async function setHome(
  homeWatch: HomeWatch,
  conversation: Conversation,
  name: string | undefined,
  sender: Sender,
): Promise<string> {
  const { adapter, account } = homeWatch;
  const { platform } = adapter;
  const typed = (command: string) => adapter.typedCommand(command, conversation);
  const { homeChannel } = account.options;
  if (homeChannel) {
    return `The home channel of ${platform} is ${homeChannel.name ?? homeChannel.chatId}, as the config or the plugin has it, and that wins over ${typed("sethome")}. Set \`homeChannel\` in the config to change it.`;
  }
  const shared = conversation.kind === "dm" ? undefined : true;
  const { chatId, threadId } = conversation;
  await homeWatch.set({ chatId, threadId, name, shared }, conversation, sender);
  const audience = shared ? " Everybody here will read what is handed off." : "";
  const isNow = `is the home channel of ${platform} now: sessions are handed off to it.${audience}`;
  return threadId === undefined
    ? `This chat ${isNow}`
    : `This thread ${isNow} \`${typed("sethome chat")}\` takes the whole chat.`;
}
