import { setTimeout as pause } from "node:timers/promises";
import { judgeStage } from "./judge-stage.ts";
import { type Stage, write } from "./perform.ts";
import { PLATFORM_NAMES, PLATFORMS } from "./plan/acts.ts";

/** How long nothing may move on before what is open is called lost, in milliseconds. */
const PATIENCE_MS = 75_000;

/** How long it may take in any case, in milliseconds. */
const LONGEST_MS = 15 * 60_000;

/** After a row that the gateways call done, this long for the last edits to be seen, in milliseconds. */
const SETTLED_MS = 2_500;

const NONE: ReadonlySet<string> = new Set();

/** Looks at every platform. */
export async function lookAround({ platforms, ledger }: Stage): Promise<void> {
  for (const [name, platform] of platforms) ledger.see(name, await platform.shown());
}

/**
 * Puts everything right and lets the gateways finish. Then everybody writes once more at each place, so that what may
 * not have arrived is offered there.
 */
export async function drain(stage: Stage, progress: (text: string) => void): Promise<void> {
  for (const platform of stage.platforms.values()) platform.heal();
  progress("everything is put right; what is open comes to its end");
  await untilSettled(stage);
  progress("everybody writes once more");
  await writeEverywhere(stage, 90_000);
  await untilSettled(stage);
}

/**
 * Everybody writes once at each place, before anything goes wrong: a private chat on Discord is known to a bot from its
 * first message on, and nobody can tell it of one that was written before it was there.
 */
export async function warmUp(stage: Stage): Promise<void> {
  await writeEverywhere(stage, 80_000);
  await untilSettled(stage);
}

async function writeEverywhere(stage: Stage, firstNumber: number): Promise<void> {
  await Promise.all(
    PLATFORM_NAMES.flatMap((name) =>
      (stage.platforms.get(name)?.places() ?? []).map((_, at) =>
        write(stage, {
          platform: name,
          place: at,
          token: `q-${PLATFORMS[name]}-${firstNumber + at}`,
          byNewcomer: false,
        }),
      ),
    ),
  );
}

/** Waits until nothing is open in the store and everything has its answer, or until nothing moves on any more. */
async function untilSettled(stage: Stage): Promise<void> {
  const { file, now } = stage;
  const end = now() + LONGEST_MS;
  let moved = { at: now(), open: Number.POSITIVE_INFINITY };
  let over: number | null = null;
  while (now() < end && now() - moved.at < PATIENCE_MS) {
    await lookAround(stage);
    const { inbox, outbox, handoffs } = file.open();
    const lost = judgeStage(stage, NONE).filter(({ verdict }) => verdict === "lost").length;
    const open = inbox + outbox + handoffs;
    if (open + lost < moved.open) moved = { at: now(), open: open + lost };
    if (open !== 0) over = null;
    else over ??= now();
    const isSettled = over !== null && now() - over > SETTLED_MS;
    if (isSettled && lost === 0) return;
    // What is lost by now stays so; a while longer than the platforms need to repeat something.
    if (over !== null && now() - over > SETTLED_MS * 6) return;
    await pause(500);
  }
}
