import type { Conversation, SendOptions } from "@hermes/core";
import { listenOnLoopback } from "@hermes/emulator";

export { until } from "@hermes/testing";

export function at(chatId: string): Conversation {
  return { platform: "whatsapp", chatId, kind: chatId.endsWith("@g.us") ? "group" : "dm" };
}

export function sending(key = "key-1"): SendOptions {
  return { key, signal: new AbortController().signal };
}

/** A server that is nobody's: what it was asked, as paths with the credentials that came along. */
export async function startElsewhere(): Promise<{ readonly url: string; readonly asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const server = await listenOnLoopback((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ""}`);
    response.end("{}");
  });
  return { url: server.url, asked, [Symbol.asyncDispose]: () => server.close() };
}
