import { check, checkEqual } from "./check.ts";
import { type Stage, UNASKED_ANSWER } from "./stage.ts";

/** Waits for an answer, and then for a second one that must not come. */
export async function answeredOnce(on: Stage, answer: string, withinMs = on.patienceMs): Promise<void> {
  await on.until(`"${answer}" is said`, () => on.countAnywhere(answer) > 0, withinMs);
  await on.quiet();
  const times = on.countAnywhere(answer);
  check(times === 1, `"${answer}" was said ${times} times`);
  // What the model says when it is asked once more than a proof has written down.
  checkEqual(on.countAnywhere(UNASKED_ANSWER), 0, "how many further answers there are");
}
