import { VisibleControls } from "./visible-controls.tsx";

/** Whether a text is a unified diff. */
export function isDiff(text: string): boolean {
  return /^@@ -\d/m.test(text);
}

/** Lines of a unified diff in their colours; the signs at their beginnings say the same. */
export function DiffLines({ lines }: { lines: readonly string[] }) {
  return (
    <>
      {lines.map((line, at) => (
        <span key={at} class={classOf(line)}>
          <VisibleControls text={at === lines.length - 1 ? line : `${line}\n`} />
        </span>
      ))}
    </>
  );
}

function classOf(line: string): string | undefined {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "hunk" : undefined;
}
