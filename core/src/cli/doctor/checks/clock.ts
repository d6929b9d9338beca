import { ageText } from "../../../base/text.ts";
import { type Check, ok, problem, warning } from "../check.ts";

const SET_CLOCK = "Let the machine set its clock by itself: `timedatectl set-ntp true`, or in its settings.";

/** Before this, no Hermes was there. */
const EARLIEST = Date.UTC(2024, 0, 1);

/** How far the clock may be off, in milliseconds. */
const TOLERATED_MS = 2 * 60_000;

export const clockCheck: Check = {
  name: "clock",
  title: "Clock",
  async run({ clock, store, model }) {
    const now = clock.now();
    const shown = new Date(now).toISOString().slice(0, 16).replace("T", " ");
    if (now < EARLIEST) return [problem(`The clock says ${shown} UTC.`, SET_CLOCK)];
    const newestAt = await store().then(
      ({ content }) => content?.newestAt ?? 0,
      () => 0,
    );
    if (newestAt - now > TOLERATED_MS) {
      const message = `The clock is ${ageText(newestAt - now)} behind what was written last in the store.`;
      return [problem(message, SET_CLOCK)];
    }
    // By the monotonic clock, what passes until the answer is there does not count.
    const answered = await model().then(
      (checked) => checked?.sentAt ?? null,
      () => null,
    );
    const offMs = answered === null ? 0 : clock.now() - answered;
    if (Math.abs(offMs) > TOLERATED_MS) {
      const where = offMs > 0 ? "ahead of" : "behind";
      return [warning(`The clock is ${ageText(Math.abs(offMs))} ${where} that of the model's server.`, SET_CLOCK)];
    }
    return [ok(answered === null ? `It is ${shown} UTC.` : `It is ${shown} UTC, as for the model's server.`)];
  },
};
