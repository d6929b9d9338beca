import { threadName } from "@hermes/core";

/** The longest name of a thread (API reference, "Start Thread without Message"), in UTF-16 units. */
const LONGEST_NAME = 100;

/** Users, roles and channels as they stand in raw text. */
const MENTION = /<(?:@[!&]?|#)\d+>/g;

/** A title as the name of a thread, without what stands for mentions in it. */
export function nameOfThread(title: string): string {
  const plain = title.replaceAll(MENTION, " ").replaceAll(/@(?=everyone\b|here\b)/g, "");
  return threadName(plain, LONGEST_NAME);
}
