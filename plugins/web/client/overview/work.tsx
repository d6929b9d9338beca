import type { WireState } from "../../src/server/wire/overview.ts";
import { Ago, Text } from "./text.tsx";

/** Where the work of a session stands, as its model said it at a handoff. */
export function Work({ state }: { state: WireState }) {
  const { task, progress, decisions, nextStep, openQuestions, files, model, at } = state;
  const lines = [
    ...[task ?? ""].map((text) => ["Task", text] as const),
    ...[progress ?? ""].map((text) => ["Progress", text] as const),
    ...decisions.map((text) => ["Decided", text] as const),
    ...[nextStep ?? ""].map((text) => ["Next step", text] as const),
    ...openQuestions.map((text) => ["Open question", text] as const),
    ...files.map((text) => ["File", text] as const),
  ].filter(([, text]) => text !== "");
  return (
    <section aria-label="Where the work stands">
      <h3>Where the work stands</h3>
      <p class="hint">
        As <Text text={model} /> said <Ago at={at} />
      </p>
      <ul class="items">
        {lines.map(([name, text], index) => (
          <li key={index}>
            {name}: <Text text={text} />
          </li>
        ))}
      </ul>
    </section>
  );
}
