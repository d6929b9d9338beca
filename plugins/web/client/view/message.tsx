import type { WireMessage } from "../../src/server/wire/thread.ts";
import { FoldsLongCode } from "../markdown/code-block.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { replyTo } from "../state/replying.ts";
import type { Pressed } from "../state/store.ts";
import { Choices } from "./choices.tsx";
import { Earlier } from "./earlier.tsx";
import { Files } from "./files.tsx";
import { ReplyIcon } from "./icons.tsx";
import { Replied } from "./replied.tsx";
import { SaidAt } from "./said-at.tsx";
import { nameOfOwn, SaidText } from "./said-text.tsx";

interface Props {
  readonly message: WireMessage;
  readonly isGrowing: boolean;
  /** Says under a message of the person how far it got. */
  readonly showsReceipt: boolean;
  /** The latest press of its buttons. */
  readonly pressed: Pressed | undefined;
}

/** One message, drawn by what it is. */
export function Message({ message, isGrowing, showsReceipt, pressed }: Props) {
  const { kind, author, text } = message;
  const label = nameOf(message);
  if (kind === "notice") {
    return (
      <article class="message notice" aria-label="Notice">
        {text !== "" && (
          <FoldsLongCode.Provider value={true}>
            <Markdown text={text} />
          </FoldsLongCode.Provider>
        )}
        <Files files={message.files} />
      </article>
    );
  }
  if (kind === "card") {
    return (
      <article class="message card" aria-label="Where the session stands">
        <p class="label">Where the session stands</p>
        <Markdown text={text} />
      </article>
    );
  }
  if (kind === "question") {
    return (
      <article class="message question" aria-label="Question" tabIndex={-1}>
        <p class="meta">
          <strong>Question</strong>
          <SaidAt at={message.sentAt} />
          <Reply message={message} />
        </p>
        <FoldsLongCode.Provider value={true}>
          <Markdown text={text} />
        </FoldsLongCode.Provider>
        {message.choices.length > 0 && <Choices message={message} pressed={pressed} />}
      </article>
    );
  }
  if (kind === "earlier") return <Earlier message={message} />;
  if (author === "user") {
    return (
      <article class={`message own ${kind}`} aria-label={label}>
        <div class="bubble">
          {message.replyTo !== null && <Replied quote={message.replyTo} />}
          <SaidText text={text} />
          <Files files={message.files} />
        </div>
        <p class="meta">
          {message.place !== null && <span class="place">{message.place}</span>}
          <SaidAt at={message.sentAt} />
          {kind === "user" && showsReceipt && <span>{message.isAccepted ? "Delivered" : "Kept for Hermes"}</span>}
          <Reply message={message} />
        </p>
      </article>
    );
  }
  return (
    <article class={`message answer ${kind} ${isGrowing ? "growing" : ""}`} aria-label={label} aria-busy={isGrowing}>
      <p class="meta">
        <strong>Hermes</strong>
        {message.place !== null && <span class="place">{message.place}</span>}
        <SaidAt at={message.sentAt} />
        <Reply message={message} />
      </p>
      {text !== "" && <Markdown text={text} />}
      <Files files={message.files} />
    </article>
  );
}

function Reply({ message }: { message: WireMessage }) {
  return (
    <button type="button" class="reply" aria-label="Reply" onClick={() => replyTo(message)}>
      <ReplyIcon />
    </button>
  );
}

function nameOf({ author, place, text }: WireMessage): string {
  const who = author === "user" ? nameOfOwn(text) : "Hermes";
  return place === null ? who : `${who}, ${place}`;
}
