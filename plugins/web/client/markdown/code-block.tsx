import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { reachable } from "../view/reachable.ts";
import { DiffLines, isDiff } from "./diff-lines.tsx";
import { VisibleControls } from "./visible-controls.tsx";

/** Blocks of code with more lines are folded where that is done, and to how many. */
const LONGEST_UNFOLDED = 30;
const FOLDED_TO = 20;

/** Whether long blocks of code are folded: those of what is asked, below which its buttons stand. */
export const FoldsLongCode = createContext(false);

/** A block of code, with its language and a button that copies it. */
export function CodeBlock({ code, language }: { code: string; language: string | null }) {
  const lines = code.split("\n");
  const isLong = useContext(FoldsLongCode) && lines.length > LONGEST_UNFOLDED;
  const [isOpen, setIsOpen] = useState(false);
  const shown = isLong && !isOpen ? lines.slice(0, FOLDED_TO) : lines;
  const [copied, setCopied] = useState<boolean | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <figure class={language === null ? "code unnamed" : "code"}>
      <figcaption>
        {language !== null && <span>{language}</span>}
        <button type="button" onClick={() => copyText(code).then(setCopied)} aria-label="Copy code">
          {copied === null ? "Copy" : copied ? "Copied" : "Not copied"}
        </button>
      </figcaption>
      <pre {...reachable} dir="ltr">
        <code>{isDiff(code) ? <DiffLines lines={shown} /> : <VisibleControls text={shown.join("\n")} />}</code>
      </pre>
      {isLong && (
        <button type="button" class="more" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${lines.length} lines`}
        </button>
      )}
    </figure>
  );
}

/** Whether it is in the clipboard now. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** The clipboard is missing where the page comes by plain HTTP from another machine; a selection can be copied there. */
function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  return isCopied;
}
