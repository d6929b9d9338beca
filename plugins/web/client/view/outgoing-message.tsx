import { discard, retry } from "../state/outgoing.ts";
import type { Outgoing } from "../state/store.ts";
import { Files } from "./files.tsx";
import { Replied } from "./replied.tsx";
import { nameOfOwn, SaidText } from "./said-text.tsx";

/** A message on its way. */
export function OutgoingMessage({ message }: { message: Outgoing }) {
  return (
    <article class={`message own user ${message.state}`} aria-label={nameOfOwn(message.text)}>
      <div class="bubble">
        {message.replyTo && <Replied quote={message.replyTo} />}
        <SaidText text={message.text} />
        <Files files={message.files ?? []} />
      </div>
      <p class="meta" role="status">
        {message.state === "sending" && <span>Sending…</span>}
        {message.state === "waiting" && <span>Waiting for a connection; it is sent by itself</span>}
        {message.state === "failed" && (
          <>
            <span class="refusal">Not sent. {message.reason}</span>
            <button type="button" onClick={() => retry(message.id)}>
              Try again
            </button>
            <button type="button" onClick={() => discard(message.id)}>
              Discard
            </button>
          </>
        )}
      </p>
    </article>
  );
}
