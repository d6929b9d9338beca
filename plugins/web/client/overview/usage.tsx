import { useState } from "preact/hooks";
import type { WireUsage } from "../../src/server/wire/overview.ts";
import { useDocument } from "./document.ts";
import { Item, Items } from "./items.tsx";
import { Text } from "./text.tsx";

const BY = ["day", "session", "person", "model"] as const;

/** The tokens and the cost of the last 30 days. */
export function Usage() {
  const [by, setBy] = useState<(typeof BY)[number]>("day");
  const shown = useDocument<WireUsage>("usage", { by, limit: "100" });
  const { value } = shown;
  return (
    <>
      {value !== null && (
        <p class="facts">
          <span>30 days: {value.said}</span>
        </p>
      )}
      <div class="actions">
        {BY.map((one) => (
          <button key={one} type="button" aria-pressed={one === by} onClick={() => setBy(one)}>
            By {one}
          </button>
        ))}
      </div>
      <Items shown={shown} of={({ groups }) => groups} empty="Nothing was used.">
        {({ key, name, said }) => <Item key={key ?? ""} name={<Text text={name} />} facts={[said]} />}
      </Items>
    </>
  );
}
