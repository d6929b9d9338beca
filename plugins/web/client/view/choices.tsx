import { useLayoutEffect, useRef } from "preact/hooks";
import type { WireMessage } from "../../src/server/wire/thread.ts";
import { VisibleControls } from "../markdown/visible-controls.tsx";
import { isResting, press } from "../state/pressing.ts";
import type { Pressed } from "../state/store.ts";

/** The buttons below a question, and how far a press got. */
export function Choices({ message, pressed }: { message: WireMessage; pressed: Pressed | undefined }) {
  const box = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    return () => {
      // Whoever pressed one by keyboard goes on from the question, and hears what became of it.
      if (element?.contains(document.activeElement)) element.closest("article")?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <fieldset class="choices" ref={box} aria-label="Choices">
      {message.choices.map(({ id, label, style }) => (
        <button
          key={id}
          type="button"
          class="button"
          data-style={style}
          // `disabled` would take the focus away.
          aria-disabled={isResting(message, pressed)}
          onClick={() => void press(message, id)}
        >
          <bdi>
            <VisibleControls text={label} />
          </bdi>
        </button>
      ))}
      <p class="meta" role="status">
        {pressed?.state === "sending" && <span>Sending…</span>}
        {pressed?.change === message.change && <Outcome pressed={pressed} />}
      </p>
    </fieldset>
  );
}

function Outcome({ pressed: { state, reason } }: { pressed: Pressed }) {
  if (state === "sent") return <span>Sent</span>;
  return state === "failed" ? <span class="refusal">Not sent. {reason}</span> : null;
}
