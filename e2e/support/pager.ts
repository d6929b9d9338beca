import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The service that CONTRIBUTING.md writes a plugin for: one private chat, polled over HTTP. */
export interface Pager extends AsyncDisposable {
  readonly url: string;
  /** What Hermes sent, once for each key, in order. */
  readonly sent: readonly string[];
  /** Lets the person write. */
  write(text: string): void;
}

export async function startPager(token: string, chatId: string): Promise<Pager> {
  const sent = new Map<string, string>();
  const written: { readonly id: string; readonly [field: string]: unknown }[] = [];

  let news = Promise.withResolvers<void>();

  const answer = async (path: string, body: string): Promise<unknown> => {
    const url = new URL(path, "http://pager");
    switch (url.pathname) {
      case "/me":
        return { id: "hermes" };
      case `/chats/${chatId}`:
        return { isPrivate: true, people: ["ada"] };
      case "/updates": {
        const taken = written.findIndex(({ id }) => id === url.searchParams.get("taken"));
        if (written.length === taken + 1) await news.promise;
        return written.slice(taken + 1);
      }
      case "/messages": {
        const { key, text } = JSON.parse(body) as { key: string; text: string };
        if (!sent.has(key)) sent.set(key, text);
        return { id: `sent-${key}` };
      }
    }
    return null;
  };

  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    const isAllowed = request.headers.authorization === `Bearer ${token}`;
    const result = isAllowed ? await answer(request.url ?? "", body) : null;
    response.writeHead(isAllowed ? (result === null ? 404 : 200) : 401).end(JSON.stringify(result));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sent() {
      return [...sent.values()];
    },
    write(text) {
      const from = { id: "ada", name: "Ada", isBot: false };
      written.push({
        id: String(written.length),
        chat: chatId,
        isPrivate: true,
        from,
        text,
        mentionsBot: false,
        sentAt: 0,
      });
      news.resolve();
      news = Promise.withResolvers();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
