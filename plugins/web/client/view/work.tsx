import { useEffect, useState } from "preact/hooks";
import type { WireCall } from "../../src/server/wire/thread.ts";
import { VisibleControls } from "../markdown/visible-controls.tsx";
import type { PlacedCalls } from "../state/place-calls.ts";
import { Outcome } from "./outcome.tsx";

/** What was open or folded when it was drawn last: calls move when the message that they led to comes. */
const opened = new Map<string, boolean>();

/** The calls of tools that stand together: open while their turn runs, else folded until one opens them. */
export function Work({ threadId, placed: { turnId, isOpen, calls } }: { threadId: string; placed: PlacedCalls }) {
  const key = `${threadId} ${turnId} ${calls[0]?.id}`;
  const [isShown, setIsShown] = useState(opened.get(key) ?? isOpen);
  opened.set(key, isShown);
  return (
    // A screen reader reads them when one goes there, and is not interrupted by them.
    <details
      class="message work"
      open={isShown}
      aria-live="off"
      onToggle={(event) => setIsShown(event.currentTarget.open)}
    >
      <summary>
        <Summary calls={calls} />
      </summary>
      {isShown && (
        <ol class="calls" aria-label="Tool calls">
          {calls.map((call) => (
            <Call key={call.id} threadId={threadId} turnId={turnId} call={call} />
          ))}
        </ol>
      )}
    </details>
  );
}

function Summary({ calls }: { calls: readonly WireCall[] }) {
  const failed = calls.filter(({ state }) => state === "failed").length;
  const running = calls.find(({ state }) => state === "runs");
  const count = `${calls.length} tool call${calls.length === 1 ? "" : "s"}`;
  const parts = [
    count,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(running ? [`${running.name} is running`] : []),
  ];
  return <>{parts.join(", ")}</>;
}

const SIGNS = { waits: "○", runs: "●", done: "●", failed: "✗", "not-run": "○" } as const;
const WORDS = { waits: "Waits:", runs: "Running:", done: "Done:", failed: "Failed:", "not-run": "Not run:" } as const;

function Call({ threadId, turnId, call }: { threadId: string; turnId: string; call: WireCall }) {
  const { id, name, summary, state, outcome } = call;
  return (
    <li class={`call ${state}`}>
      <p class="call-head">
        <span class="sign" aria-hidden="true">
          {SIGNS[state]}
        </span>
        <span class="unseen">{WORDS[state]}</span>
        <strong>{name}</strong>
        <span class="what" dir="auto">
          <VisibleControls text={summary} />
        </span>
        <Time call={call} />
      </p>
      {state === "not-run" && <p class="hint">was not run</p>}
      {outcome !== null && outcome.lines.some((line) => line !== "") && (
        <Outcome threadId={threadId} turnId={turnId} name={name} outcome={outcome} callId={id} />
      )}
    </li>
  );
}

/** How long a call took, or has been running. */
function Time({ call: { state, beganAt, endedAt } }: { call: WireCall }) {
  const now = useNow(state === "runs");
  if (beganAt === null || state === "not-run") return null;
  const seconds = Math.floor(((endedAt ?? now) - beganAt) / 1_000);
  return seconds < 1 ? null : <span class="time">{timeText(seconds)}</span>;
}

function useNow(isTicking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isTicking]);
  return now;
}

/** `12 s`, `2 min 5 s` */
function timeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  return `${minutes} min${seconds % 60 === 0 ? "" : ` ${seconds % 60} s`}`;
}
