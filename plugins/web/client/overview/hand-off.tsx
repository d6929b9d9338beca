import { useState } from "preact/hooks";
import type { WirePlace } from "../../src/server/wire/overview.ts";
import { ActButton } from "./act-button.tsx";
import { useDocument } from "./document.ts";

/** Sends a session to a place that people choose, after a question: others may read it there. */
export function HandOff({ id }: { id: string }) {
  const { value } = useDocument<{ readonly places: readonly WirePlace[] }>("places");
  const [chosen, setChosen] = useState("");
  const place = value?.places.find(({ type }) => type === chosen);
  return (
    <section aria-label="Hand it off">
      <h3>Hand it off</h3>
      <div class="actions">
        <select aria-label="Place" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          <option value="">Choose a place</option>
          {value?.places.map(({ type }) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
        {place !== undefined && (
          <ActButton
            action={{ do: "hand-off", id, to: place.type, yes: place.readBy !== null }}
            done="Requested. Its progress is shown below."
            question={`Hand this session off to ${place.type}?${place.readBy === null ? "" : ` ${place.readBy} will be able to read it.`}`}
            style="primary"
          >
            Hand off
          </ActButton>
        )}
      </div>
    </section>
  );
}
