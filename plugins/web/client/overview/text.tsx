import { VisibleControls } from "../markdown/visible-controls.tsx";

/** What people or models wrote, as data: it turns no direction around it, and says where it has signs that would. */
export function Text({ text }: { text: string }) {
  return (
    <bdi>
      <VisibleControls text={text} />
    </bdi>
  );
}

/** The longest text that is shown at once, in UTF-16 units: the rest is folded. */
const SHORT = 200;

/** A text that may be long: its beginning, and all of it when it is unfolded. */
export function LongText({ text }: { text: string }) {
  if (text.length <= SHORT) {
    return (
      <p class="quoted">
        <Text text={text} />
      </p>
    );
  }
  return (
    <details class="quoted">
      <summary>
        <Text text={`${beginningOf(text)}…`} />
      </summary>
      <pre>
        <Text text={text} />
      </pre>
    </details>
  );
}

/** Without half a character at its end. */
function beginningOf(text: string): string {
  return text.slice(0, SHORT).replace(/[\ud800-\udbff]$/, "");
}

export function Ago({ at }: { at: number }) {
  const date = new Date(at);
  const isWithinTime = Number.isFinite(date.getTime());
  if (!isWithinTime) return null;
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {agoText(Date.now() - at)}
    </time>
  );
}

/** `just now`, `5 min ago`; of a time ahead, `in 5 min`. */
function agoText(ms: number): string {
  if (Math.abs(ms) < 5_000) return "just now";
  return ms < 0 ? `in ${ageText(-ms)}` : `${ageText(ms)} ago`;
}

export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** `1 step`, `2 steps`. */
export function countText(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** A sentence of Hermes, in which commands stand in backticks. Names in it are data, as in {@link Text}. */
export function Sentence({ text }: { text: string }) {
  return (
    <>
      {text.split(/`([^`]*)`/).map((part, at) => {
        const shown = <VisibleControls text={part} />;
        return at % 2 === 0 ? shown : <code key={at}>{shown}</code>;
      })}
    </>
  );
}
