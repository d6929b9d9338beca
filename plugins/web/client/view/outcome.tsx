import { useState } from "preact/hooks";
import type { WireOutcome } from "../../src/server/wire/thread.ts";
import { DiffLines } from "../markdown/diff-lines.tsx";
import { VisibleControls } from "../markdown/visible-controls.tsx";
import { loadOutcome, sentenceOf } from "../state/api.ts";
import { reachable } from "./reachable.ts";

interface Props {
  readonly threadId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly name: string;
  readonly outcome: WireOutcome;
}

/** What came of a call: a part of it, and all of it when one asks for it. */
export function Outcome({ threadId, turnId, callId, name, outcome }: Props) {
  const [whole, setWhole] = useState<WireOutcome | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { kind, lines, folded } = whole ?? outcome;
  const unfold = async () => {
    setProblem(null);
    try {
      setWhole((await loadOutcome(threadId, turnId, callId)).outcome);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  const isFolded = whole === null && outcome.folded > 0;
  const more = folded > 0 && whole !== null && <p class="hint">{countText(folded, "more line")} are not shown here.</p>;
  return (
    <div class="outcome">
      {kind === "text" && more}
      <section {...reachable} class="lines" aria-label={`${kind === "diff" ? "Change" : "Output"} of ${name}`}>
        <pre dir="ltr">
          <code>{kind === "diff" ? <DiffLines lines={lines} /> : <VisibleControls text={lines.join("\n")} />}</code>
        </pre>
      </section>
      {kind === "diff" && more}
      {(isFolded || whole !== null) && outcome.folded > 0 && (
        <button
          type="button"
          class="more"
          aria-expanded={!isFolded}
          onClick={() => (isFolded ? unfold() : setWhole(null))}
        >
          {isFolded ? `Show ${countText(folded, "more line")}` : "Show less"}
        </button>
      )}
      {problem !== null && (
        <p class="refusal" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function countText(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
