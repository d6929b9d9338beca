import { useEffect, useState } from "preact/hooks";
import { reachable } from "../view/reachable.ts";
import { VisibleControls } from "./visible-controls.tsx";

/** A block of code, with its language and a button that copies it. */
export function CodeBlock({ code, language }: { code: string; language: string | null }) {
  const [copied, setCopied] = useState<boolean | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <figure class="code">
      <figcaption>
        <span>{language ?? "text"}</span>
        <button type="button" onClick={() => copyText(code).then(setCopied)} aria-label="Copy code">
          {copied === null ? "Copy" : copied ? "Copied" : "Not copied"}
        </button>
      </figcaption>
      <pre {...reachable} dir="ltr">
        <code>
          <VisibleControls text={code} />
        </code>
      </pre>
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
