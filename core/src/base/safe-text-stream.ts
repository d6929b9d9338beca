import { safeText } from "./hidden-text.ts";

/** Makes a growing text safe to show, with the same outcome however it is cut into pieces. */
export interface SafeTextStream {
  /** What can be shown now, behind what was shown before. */
  push(delta: string): string;
  /** The rest. */
  end(): string;
}

const clusters = new Intl.Segmenter();

/** No character that people write is longer, in UTF-16 units; a longer one is cut. */
const LONGEST = 64;

export function createSafeTextStream(): SafeTextStream {
  let held = "";
  return {
    push(delta) {
      const text = held + delta;
      // The last character may go on: an emoji, a letter with its joiner, a line break of two.
      const tail = text.slice(-LONGEST);
      // Half a surrogate pair may belong to the character before it, too.
      const whole = tail.replace(/[\ud800-\udbff]$/, "");
      held = tail.slice([...clusters.segment(whole)].at(-1)?.index ?? 0);
      return safeText(text.slice(0, text.length - held.length));
    },
    end() {
      const rest = safeText(held);
      held = "";
      return rest;
    },
  };
}
