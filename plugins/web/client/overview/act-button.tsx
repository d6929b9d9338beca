import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { WireAction } from "../../src/server/wire.ts";
import { act } from "./document.ts";

interface Props {
  readonly action: WireAction;
  /** What came of it, as a sentence. */
  readonly done: string;
  /** Asked first, for what cannot be undone. */
  readonly question?: string;
  readonly style?: "plain" | "primary" | "danger";
  readonly children: ComponentChildren;
}

/** A button that does something once at a time, and asks before what cannot be undone. */
export function ActButton({ action, done, question, style = "plain", children }: Props) {
  const [step, setStep] = useState<"rests" | "asks" | "runs">("rests");
  const run = async () => {
    setStep("runs");
    await act(action, done);
    setStep("rests");
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
      <button type="button" class="button small" data-style={style} aria-disabled={step === "runs"} onClick={press}>
        {children}
      </button>
      {step === "asks" && (
        <Confirm question={question ?? ""} onYes={() => void run()} onNo={() => setStep("rests")}>
          {children}
        </Confirm>
      )}
    </>
  );
}

interface ConfirmProps {
  readonly question: string;
  readonly onYes: () => void;
  readonly onNo: () => void;
  readonly children: ComponentChildren;
}

function Confirm({ question, onYes, onNo, children }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="confirm" aria-label={question} onCancel={onNo}>
      <p>{question}</p>
      <div class="actions">
        <button type="button" class="button small" onClick={onNo}>
          Keep it
        </button>
        <button type="button" class="button small" data-style="danger" onClick={onYes}>
          {children}
        </button>
      </div>
    </dialog>
  );
}
