import { HttpClient, type PluginDeps } from "@hermes/core";
import type { AcmeOptions } from "./config.ts";
import { refusalOf } from "./errors.ts";

/** The bot's connection to Acme. */
export interface Connection {
  readonly api: HttpClient;
  /** Who the bot is on Acme. */
  readonly ownId: string;
  /** What the host gives the plugin: the options, a clock, a log. */
  readonly deps: PluginDeps<AcmeOptions>;
}

/** A message that somebody wrote, as Acme sends it. */
export interface AcmeMessage {
  readonly id: string;
  readonly chat: { readonly id: string; readonly name: string; readonly isPrivate: boolean };
  // #if threads
  readonly threadId?: string;
  // #end
  readonly from: { readonly id: string; readonly name: string; readonly isBot: boolean };
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  /** The ids of those whom it mentions. */
  readonly mentions: readonly string[];
  /** Whether its writer has changed it since. */
  readonly isEdited: boolean;
  /** Who wrote the words, if the sender passes somebody else's on. */
  readonly forwardedFrom?: string;
}

export interface AcmeChat {
  readonly id: string;
  readonly name: string;
  readonly isPrivate: boolean;
  /** The ids of those who are in it beside the bot. */
  readonly people: readonly string[];
  // #if threads
  readonly hasThreads: boolean;
  // #end
}

/** Makes the client. It keeps deadlines and tells failures apart; the token is in no address and no error. */
export function openApi({ url, token }: AcmeOptions): HttpClient {
  return new HttpClient({
    platform: "acme",
    url,
    headers: { authorization: `Bearer ${token}` },
    refusal: refusalOf,
  });
}

export async function readChat({ api }: Connection, chatId: string, signal?: AbortSignal): Promise<AcmeChat> {
  return (await api.call({ path: `chats/${encodeURIComponent(chatId)}`, signal })) as AcmeChat;
}
