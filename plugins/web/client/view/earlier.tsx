import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { EarlierAnswer, WireEarlier, WireMessage } from "../../src/server/wire/thread.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { loadEarlier, sentenceOf } from "../state/api.ts";
import { SaidAt } from "./said-at.tsx";
import { Work } from "./work.tsx";

/** What was said in the session before it came here: its end at first, and more of it when one asks. */
export function Earlier({ message }: { message: WireMessage }) {
  const { id, threadId, text, hasParts } = message;
  const box = useRef<HTMLDetailsElement>(null);
  const [part, setPart] = useState<EarlierAnswer | null>(null);
  const [isLoading, setIsLoading] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const keepPlace = useKeptPlace(box, part);

  const load = async () => {
    if (isLoading) return;
    setIsLoading(true);
    setProblem(null);
    try {
      const { messages, before } = await loadEarlier(threadId, id, part?.before ?? undefined);
      keepPlace();
      setPart((known) => ({ before, messages: [...messages, ...(known?.messages ?? [])] }));
    } catch (error) {
      setProblem(sentenceOf(error));
    } finally {
      setIsLoading(false);
    }
  };
  return (
    // What one has opened oneself is not to be read out all at once.
    <details
      class="message earlier"
      ref={box}
      aria-live="off"
      onToggle={(event) => {
        if (event.currentTarget.open && hasParts && part === null) void load();
      }}
    >
      <summary>What was said before</summary>
      {part?.before != null && (
        <button type="button" class="button older" aria-disabled={isLoading} onClick={load}>
          Show what was said before that
        </button>
      )}
      {problem !== null && (
        <p class="refusal" role="alert">
          {problem}
        </p>
      )}
      {part === null ? (
        <Markdown text={text} />
      ) : (
        part.messages.map((one) => <EarlierMessage key={one.seq} threadId={threadId} message={one} />)
      )}
    </details>
  );
}

function EarlierMessage({ threadId, message }: { threadId: string; message: WireEarlier }) {
  const { author, place, markdown, saidAt, turnId, calls } = message;
  const who = author === "user" ? "You" : "Hermes";
  const placed = turnId === null || calls.length === 0 ? null : { turnId, isOpen: false, calls };
  return (
    <>
      {markdown.trim() !== "" && (
        <article
          class={`message ${author === "user" ? "own echo" : author === "agent" ? "answer" : "notice"}`}
          aria-label={place === null ? who : `${who}, ${place}`}
        >
          <p class="meta">
            <strong>{who}</strong>
            {place !== null && <span class="place">{place}</span>}
            <SaidAt at={saidAt} />
          </p>
          <div class={author === "user" ? "bubble" : undefined}>
            <Markdown text={markdown} />
          </div>
        </article>
      )}
      {placed !== null && <Work threadId={threadId} placed={placed} />}
    </>
  );
}

/** Keeps what one reads where it is while more is put above it. Returns what to call before that. */
function useKeptPlace(box: { readonly current: HTMLElement | null }, part: EarlierAnswer | null): () => void {
  const before = useRef<number | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    const scroller = element?.closest(".log");
    if (element && scroller && before.current !== null) scroller.scrollTop += element.scrollHeight - before.current;
    before.current = null;
  }, [part]);
  return () => {
    // The first part takes the place of the text that is there: one reads it from its beginning.
    before.current = part === null ? null : (box.current?.scrollHeight ?? null);
  };
}
