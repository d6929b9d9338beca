import { isCommand } from "./slash-commands.ts";

/** What the person wrote, as they wrote it; a command looks like one. */
export function SaidText({ text }: { text: string }) {
  if (!isCommand(text)) {
    return (
      <p class="plain" dir="auto">
        {text}
      </p>
    );
  }
  const end = /\s|$/.exec(text)?.index ?? text.length;
  return (
    <p class="plain command" dir="ltr">
      <strong>{text.slice(0, end)}</strong>
      {text.slice(end)}
    </p>
  );
}

/** What a screen reader calls a message of the person. */
export function nameOfOwn(text: string): string {
  return isCommand(text) ? "You, a command" : "You";
}
