import { graphemeClusters } from "./grapheme-clusters.ts";
import { safeText } from "./hidden-text.ts";

/** Makes a streamed text safe to show; the result does not depend on where the pieces are cut. */
export interface SafeTextStream {
  /** Takes the next piece; returns what can be shown now, after what was shown before. */
  push(delta: string): string;
  /** Returns the rest. */
  end(): string;
}

/** In UTF-16 units: no character that people write is longer. A longer one is cut. */
const LONGEST = 64;

export function createSafeTextStream(): SafeTextStream {
  let held = "";
  return {
    push(delta) {
      const text = held + delta;
      // The last character may continue in the next piece: an emoji, a letter with its joiner, a CRLF.
      const tail = text.slice(-LONGEST);
      // Half a surrogate pair may belong to the character before it, too.
      const whole = tail.replace(/[\ud800-\udbff]$/, "");
      held = tail.slice([...graphemeClusters(whole)].at(-1)?.index ?? 0);
      return safeText(text.slice(0, text.length - held.length));
    },
    end() {
      const rest = safeText(held);
      held = "";
      return rest;
    },
  };
}
