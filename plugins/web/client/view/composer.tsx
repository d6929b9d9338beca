import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WireQuote } from "../../src/server/wire/thread.ts";
import { Text } from "../overview/text.tsx";
import { draftOf, keepDraft } from "../state/drafts.ts";
import { say } from "../state/outgoing.ts";
import { stopReplying } from "../state/replying.ts";
import { Completions, useCompletions } from "./completions.tsx";
import { Attachments, useAttachments } from "./files.tsx";
import { AttachIcon, CloseIcon, SendIcon } from "./icons.tsx";
import { Replied } from "./replied.tsx";

/** UTF-16 units that the server takes. */
const LONGEST_TEXT = 64 * 1024;

/** Where one writes. Enter sends, Shift+Enter begins a line; what is not sent is still there after a reload. */
export function Composer({
  threadId,
  isLost,
  readers,
  replyingTo,
}: {
  threadId: string;
  isLost: boolean;
  /** Who else can read what is written, a sentence for each place. */
  readers: readonly string[];
  replyingTo: WireQuote | null;
}) {
  const [text, setText] = useState(() => draftOf(threadId));
  const field = useRef<HTMLTextAreaElement>(null);
  const write = (next: string) => {
    setText(next);
    keepDraft(threadId, next);
  };
  const completions = useCompletions(text, (name) => {
    write(`${name} `);
    field.current?.focus();
  });
  const attachments = useAttachments();
  const { files, isUploading, attach } = attachments;
  const hasContent = text.trim() !== "" || files.length > 0;
  const canSend = hasContent && !isUploading && text.length <= LONGEST_TEXT;
  const send = () => {
    if (!canSend) return;
    say(threadId, text.trim(), files);
    write("");
    attachments.clear();
    field.current?.focus();
  };
  useHeight(field, text);
  useFocusOnOpen(field);

  const onKeyDown = (event: KeyboardEvent) => {
    // While a word is being composed (Japanese, say), Enter chooses it.
    if (event.isComposing || completions.onKeyDown(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  };
  return (
    <form
      class="composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach([...(event.dataTransfer?.files ?? [])]);
      }}
      onPaste={(event) => {
        const pasted = [...(event.clipboardData?.files ?? [])];
        if (pasted.length === 0) return;
        event.preventDefault();
        void attach(pasted);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Completions {...completions} />
      {replyingTo !== null && (
        <div class="replying">
          <Replied quote={replyingTo} />
          <button type="button" class="reply" aria-label="Do not reply to it" onClick={() => stopReplying(threadId)}>
            <CloseIcon />
          </button>
        </div>
      )}
      <Readers readers={readers} />
      <Attachments {...attachments} />
      <div class="field">
        <label class="attach" title="Attach a picture, PDF or text">
          <AttachIcon />
          <input
            type="file"
            multiple
            aria-label="Attach a file"
            onChange={(event) => {
              void attach([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = "";
            }}
          />
        </label>
        <textarea
          id="composer"
          ref={field}
          value={text}
          rows={1}
          dir="auto"
          enterkeyhint="send"
          placeholder={isLost ? "Sent when Hermes is back" : "Message Hermes"}
          aria-label="Message"
          aria-describedby={READERS_ID}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls="completions"
          aria-activedescendant={completions.activeId}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="send" aria-label="Send" disabled={!canSend}>
          <SendIcon />
        </button>
      </div>
      {text.length > LONGEST_TEXT ? (
        <p class="refusal" role="alert">
          This is too long for one message.
        </p>
      ) : (
        <p class="hint">Enter sends, Shift+Enter begins a new line, / shows commands</p>
      )}
    </form>
  );
}

const READERS_ID = "readers";

/** Who else can read what is written. The element is always there, so that a screen reader hears what comes into it. */
function Readers({ readers }: { readers: readonly string[] }) {
  return (
    <div id={READERS_ID} class="readers" role="status">
      {readers.map((sentence) => (
        <p key={sentence}>
          <Text text={sentence} />
        </p>
      ))}
    </div>
  );
}

/** As tall as its text; the style sheet says where it ends. */
function useHeight(field: { current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);
}

/** With a keyboard one can write at once. On a phone that would open the on-screen keyboard unasked. */
function useFocusOnOpen(field: { current: HTMLTextAreaElement | null }): void {
  useLayoutEffect(() => {
    if (matchMedia("(hover: hover) and (min-width: 48rem)").matches) field.current?.focus();
  }, []);
}
