import type { Quote } from "@hermes/core";
import type { Message, MessageOrigin, User } from "grammy/types";

/**
 * Whether the words of a message are somebody else's: it was forwarded, or a bot wrote it for its sender ("inline
 * mode").
 */
export function isForeign({ forward_origin: origin, via_bot: bot }: Message): boolean {
  return origin !== undefined || bot !== undefined;
}

/** The words of such a message, which may have none but a file, with who wrote them. */
export function quoteOf({ forward_origin: origin, via_bot: bot }: Message, text: string): Quote {
  const source = origin ? sourceOf(origin) : bot ? { writer: nameOf(bot) } : {};
  return { kind: "forward", text, ...source };
}

/** "MessageOrigin": a person may hide behind a name, and a post of a channel is signed only where the channel wants it. */
function sourceOf(origin: MessageOrigin): Pick<Quote, "writer" | "origin"> {
  switch (origin.type) {
    case "user":
      return { writer: nameOf(origin.sender_user) };
    case "hidden_user":
      return { writer: origin.sender_user_name };
    case "chat":
      return signed(origin.sender_chat, origin.author_signature);
    case "channel":
      return signed(origin.chat, origin.author_signature);
  }
}

function signed({ title, id }: { readonly title?: string; readonly id: number }, writer: string | undefined) {
  return { origin: title ?? String(id), ...(writer === undefined ? {} : { writer }) };
}

function nameOf({ first_name: first, last_name: last }: User): string {
  return [first, last].filter(Boolean).join(" ");
}
