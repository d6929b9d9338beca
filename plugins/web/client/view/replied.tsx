import type { WireQuote } from "../../src/server/wire/thread.ts";

/** The message that another one replies to, in two lines. */
export function Replied({ quote }: { quote: WireQuote }) {
  return (
    <blockquote class="replied" dir="auto">
      <cite>{quote.author === "user" ? "You" : "Hermes"}</cite> {quote.text}
    </blockquote>
  );
}
