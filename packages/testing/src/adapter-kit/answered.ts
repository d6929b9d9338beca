import { check, checkEqual } from "./check.ts";
import { type Stage, UNASKED_ANSWER } from "./stage.ts";

/** Waits for an answer, and checks that no second one follows. */
export async function answeredOnce(on: Stage, answer: string, withinMs = on.patienceMs): Promise<void> {
  await on.until(`"${answer}" is said`, () => on.countAnywhere(answer) > 0, withinMs);
  await on.quiet();
  const times = on.countAnywhere(answer);
  check(times === 1, `"${answer}" was said ${times} times`);
  // The model says this when it is called more often than the proof has answers for.
  checkEqual(on.countAnywhere(UNASKED_ANSWER), 0, "how many further answers there are");
}
