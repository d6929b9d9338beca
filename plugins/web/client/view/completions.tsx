import { useEffect, useState } from "preact/hooks";
import { completionsOf, type SlashCommand } from "./slash-commands.ts";

interface CompletionsState {
  readonly list: readonly SlashCommand[];
  readonly active: number;
  readonly activeId: string | undefined;
  choose(name: string): void;
  /** Whether the key was meant for the list. */
  onKeyDown(event: KeyboardEvent): boolean;
}

/** The commands that fit what is typed, and the keys that choose among them. */
export function useCompletions(text: string, choose: (name: string) => void): CompletionsState {
  const [active, setActive] = useState(0);
  const [dismissed, setDismissed] = useState<string | null>(null);
  const found = completionsOf(text);
  // A command that is written out whole needs no list; Enter sends it then.
  const isWhole = found.length === 1 && found[0]?.name === text;
  const list = dismissed === text || isWhole ? [] : found;
  useEffect(() => setActive(0), [text]);

  const onKeyDown = (event: KeyboardEvent): boolean => {
    const chosen = list[active];
    if (!chosen) return false;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive((active + step + list.length) % list.length);
    } else if (event.key === "Tab" || (event.key === "Enter" && chosen.name !== text)) choose(chosen.name);
    else if (event.key === "Escape") setDismissed(text);
    else return false;
    event.preventDefault();
    return true;
  };
  return { list, active, activeId: list.length > 0 ? `completion-${active}` : undefined, choose, onKeyDown };
}

export function Completions({ list, active, choose }: CompletionsState) {
  return (
    <div id="completions" class="completions" role="listbox" aria-label="Commands" hidden={list.length === 0}>
      {list.map(({ name, what }, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are handled where one types
        <div
          key={name}
          id={`completion-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // The field keeps the focus, and with it the on-screen keyboard.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(name)}
        >
          <strong>{name}</strong> <span>{what}</span>
        </div>
      ))}
    </div>
  );
}
