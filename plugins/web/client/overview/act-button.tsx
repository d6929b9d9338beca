import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { WireAction } from "../../src/server/wire/overview.ts";
import { act } from "./document.ts";
import { Text } from "./text.tsx";

interface Props<T> {
  readonly action: WireAction;
  /** What came of it: a sentence, or what makes one of the answer. */
  readonly done: string | ((answer: T) => string);
  /** Asked first, for what cannot be undone or gives somebody something. */
  readonly question?: string;
  /** The button that leaves everything as it is. */
  readonly no?: string;
  readonly style?: "plain" | "primary" | "danger";
  /** What tells it from others of its name, for whoever does not see where it stands. */
  readonly label?: string;
  /** Called once it is done. */
  readonly onDone?: () => void;
  readonly children: ComponentChildren;
}

/** A button that does something once at a time, and asks before what cannot be undone. */
export function ActButton<T>(props: Props<T>) {
  const { action, done, question, no = "Keep it", style = "plain", label, onDone, children } = props;
  const [step, setStep] = useState<"rests" | "asks" | "runs">("rests");
  const run = async () => {
    setStep("runs");
    const isDone = await act(action, done);
    setStep("rests");
    if (isDone) onDone?.();
    // What was acted on may be gone, and the focus with it: what came of it is read out.
    document.getElementById("overview-said")?.focus();
  };
  const press = () => {
    if (step !== "rests") return;
    if (question === undefined) void run();
    else setStep("asks");
  };
  return (
    <>
      <button
        type="button"
        class="button small"
        data-style={style}
        aria-label={label}
        aria-disabled={step === "runs"}
        onClick={press}
      >
        {children}
      </button>
      {step === "asks" && (
        <Confirm question={question ?? ""} no={no} style={style} onYes={() => void run()} onNo={() => setStep("rests")}>
          {children}
        </Confirm>
      )}
    </>
  );
}

interface ConfirmProps {
  readonly question: string;
  readonly no: string;
  readonly style: string;
  readonly onYes: () => void;
  readonly onNo: () => void;
  readonly children: ComponentChildren;
}

function Confirm({ question, no, style, onYes, onNo, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const asked = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closed rather than only taken away: the focus goes back to the button that asked.
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby={asked} onCancel={onNo}>
      <p id={asked}>
        <Text text={question} />
      </p>
      <div class="actions">
        <button type="button" class="button small" onClick={onNo}>
          {no}
        </button>
        <button type="button" class="button small" data-style={style} onClick={onYes}>
          {children}
        </button>
      </div>
    </dialog>
  );
}
