import type { ServerResponse } from "node:http";
import { pictureIn } from "@hermes/core";
import type { EmulatedMessage, Emulator } from "../emulator.ts";
import { Refusal } from "./guard.ts";
import { SECURE_HEADERS } from "./page.ts";

/** The messages of a place for the console: of each file, where its content is, and how long it is. */
export function messagesIn(emulator: Emulator, query: URLSearchParams): object[] {
  const { chatId, threadId } = placeIn(query);
  return emulator.messages(chatId, threadId).map((message) => {
    const { files = [], ...rest } = message;
    const listed = files.map(({ name, mediaType, content, isPicture = false }, at) => {
      const where = {
        chatId,
        ...(threadId === undefined ? {} : { threadId }),
        messageId: message.id,
        file: String(at),
      };
      return { name, mediaType, size: content.length, isPicture, url: `file?${new URLSearchParams(where)}` };
    });
    return { ...(withoutBytes(rest) as Omit<EmulatedMessage, "files">), ...(listed.length > 0 && { files: listed }) };
  });
}

/** Answers with a file that the bot sent. The browser shows pictures, and saves everything else. */
export function answerFile(emulator: Emulator, query: URLSearchParams, response: ServerResponse): void {
  const { chatId, threadId } = placeIn(query);
  const message = emulator.messages(chatId, threadId).find(({ id }) => id === query.get("messageId"));
  const file = message?.files?.[Number(query.get("file") ?? 0)];
  if (file === undefined) throw new Refusal(404, "There is no such file. /_emulator/messages lists those of a chat.");
  const picture = pictureIn(file.content);
  response.writeHead(200, {
    ...SECURE_HEADERS,
    "content-type": picture?.mediaType ?? "application/octet-stream",
    "content-disposition": `${picture ? "inline" : "attachment"}; filename*=UTF-8''${encoded(file.name.toWellFormed())}`,
    "content-security-policy": "default-src 'none'; sandbox",
  });
  response.end(file.content);
}

/** A value that JSON can hold: of bytes within it, how many there are. */
export function withoutBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return `(${value.length} bytes)`;
  if (Array.isArray(value)) return value.map(withoutBytes);
  if (typeof value !== "object" || value === null || "toJSON" in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutBytes(part)]));
}

function placeIn(query: URLSearchParams): { readonly chatId: string; readonly threadId: string | undefined } {
  const chatId = query.get("chatId");
  if (chatId === null) throw new Refusal(400, "chatId is missing.");
  return { chatId, threadId: query.get("threadId") ?? undefined };
}

function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
