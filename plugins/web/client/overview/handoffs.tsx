import type { WireHandoff } from "../../src/server/wire/overview.ts";
import { ActButton } from "./act-button.tsx";
import { useDocument } from "./document.ts";
import { Item, Items, Problem, SessionLink } from "./items.tsx";
import { Ago, countText, Text } from "./text.tsx";

const STEPS: Readonly<Record<string, string>> = {
  pending: "asked for",
  running: "under way",
  claimed: "taken by the gateway",
  threaded: "place opened",
  bound: "session bound",
  answered: "agent has answered",
  delivered: "delivered",
  completed: "completed",
  failed: "failed",
};

export function Handoffs() {
  const shown = useDocument<{ readonly handoffs: readonly WireHandoff[] }>("handoffs", { limit: "50" });
  return (
    <Items shown={shown} of={({ handoffs }) => handoffs} empty="There was no handoff yet.">
      {(handoff) => <Handoff key={handoff.handoffId} handoff={handoff} />}
    </Items>
  );
}

interface HandoffProps {
  readonly handoff: WireHandoff;
  /** From where to where, by the names that people see. */
  readonly hop?: { readonly from: string; readonly to: string } | undefined;
  /** It is shown with its session, and need not name it. */
  readonly isOfSession?: boolean;
}

/** A handoff with its steps, and how long after the request each came. */
export function Handoff({ handoff, hop, isOfSession = false }: HandoffProps) {
  const { handoffId, sessionId, title, platform, state, place, link, error, requestedAt, steps, warnings } = handoff;
  return (
    <Item
      name={
        <>
          {isOfSession ? <Text text={hop?.from ?? ""} /> : <SessionLink id={sessionId} title={title} none="" />} →{" "}
          <Text text={hop?.to ?? platform} />
        </>
      }
      facts={[
        STEPS[state],
        <Ago key="ago" at={requestedAt} />,
        place === null ? "" : <Text key="place" text={place} />,
      ]}
    >
      <Problem error={error} />
      {warnings.map((warning) => (
        <p key={warning} class="hint">
          <Text text={warning} />
        </p>
      ))}
      <details>
        <summary>{countText(steps.length, "step")}</summary>
        <ol class="steps">
          {steps.map(({ step, at }) => (
            <li key={step}>
              {STEPS[step] ?? step} <span class="hint">{at - requestedAt} ms</span>
            </li>
          ))}
        </ol>
      </details>
      <div class="actions">
        <Arrival link={link} />
        {state === "pending" && (
          <ActButton
            action={{ do: "cancel-handoff", id: handoffId }}
            done="Cancelled. The session is where it was."
            question="Cancel this handoff?"
            style="danger"
          >
            Cancel
          </ActButton>
        )}
      </div>
    </Item>
  );
}

/** Only a link that leads to a page is one. */
function Arrival({ link }: { link: string | null }) {
  const url = link === null ? null : URL.parse(link);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  return (
    <a class="button small" href={url.href} target="_blank" rel="noreferrer noopener">
      Open
    </a>
  );
}
