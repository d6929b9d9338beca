import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { machineWith } from "../e2e/support/model.ts";
import { drain, lookAround, warmUp } from "./drain.ts";
import { Handoffs } from "./handoffs.ts";
import { mountDisk } from "./harm/disk.ts";
import { Gateways } from "./harm/gateways.ts";
import { judgeStage } from "./judge-stage.ts";
import { Ledger } from "./ledger/ledger.ts";
import { listedTokens } from "./ledger/listed.ts";
import { startModel } from "./model.ts";
import type { Options } from "./options.ts";
import { perform, type Stage } from "./perform.ts";
import { makePlan, partOf } from "./plan/make-plan.ts";
import type { Result } from "./report/result.ts";
import { rowsOf } from "./report/table.ts";
import { timelineOf } from "./report/timeline.ts";
import { StoreFile } from "./store-file.ts";
import { openWorld } from "./world/world.ts";

/** How often it is looked at what people see, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

const SAY_EVERY_MS = 10_000;

/** Runs a plan against real gateways, and judges what came of each message. */
export async function runSoak(options: Options, progress: (text: string) => void): Promise<Result> {
  const whole = makePlan(options.seed, options.minutes * 60_000);
  const plan = options.part === null ? whole : partOf(whole, options.part.number, options.part.of);
  const startedAt = Date.now();
  const now = () => Date.now() - startedAt;
  const ledger = new Ledger(now);
  const platforms = await openWorld();
  await using closing = new AsyncDisposableStack();
  for (const platform of platforms.values()) closing.use(platform);
  const model = closing.use(await startModel(plan.acts, ledger));
  const machine = closing.use(machineWith(model, { plugins: [...platforms.values()].map(({ plugin }) => plugin) }));
  const file = new StoreFile(machine.home);
  const gateways = new Gateways(machine, ledger, file);
  const disk = closing.use(mountDisk(machine.home, ledger, () => gateways.pids));
  closing.defer(() => file.close());

  for (const platform of platforms.values()) await platform.prepare?.(machine);
  gateways.start();
  await file.untilServed(platforms.size);
  for (const platform of platforms.values()) await platform.begin?.(machine);
  progress("the gateways serve every platform; everybody writes for the first time");

  const handoffs = new Handoffs({ machine, ledger, file, platforms });
  const stage: Stage = { platforms, ledger, gateways, handoffs, disk, file, now };
  await warmUp(stage);
  const begun = now();
  await play(stage, plan.acts, { begun, durationMs: plan.durationMs, progress });
  await drain(stage, progress);
  handoffs.enter();
  const listed = await listedTokens(machine);
  const codes = await gateways.end();
  await lookAround(stage);

  const judged = judgeStage(stage, listed);
  const faults = judged.filter(({ fault }) => fault !== null);
  const anomalies = faults.map((one) => timelineOf(one, { ledger, file, home: machine.home, startedAt }));
  for (const { token, fate, said } of handoffs.terminals) {
    if (fate === "lost") anomalies.push(`${token} in a terminal: no answer, and no word of it: ${said}`);
  }
  const ends = codes
    .filter((code) => code !== 0)
    .map((code) => `a gateway ended with ${code} when it was asked to end`);
  anomalies.push(...gateways.crashes, ...ends);
  const rows = rowsOf(judged, handoffs.terminals);
  if (options.keep !== null) {
    cpSync(machine.home, options.keep, { recursive: true });
    writeFileSync(join(options.keep, "ledger.jsonl"), ledger.notes.map((note) => `${JSON.stringify(note)}\n`).join(""));
  }
  return {
    seed: options.seed,
    minutes: options.minutes,
    part: options.part === null ? null : `${options.part.number}/${options.part.of}`,
    startedAt,
    rows,
    harms: harmsOf(stage),
    terminals: handoffs.terminals,
    handoffsRefused: Object.fromEntries(handoffs.refused),
    leftOut: disk.leftOut === null ? [] : [disk.leftOut],
    anomalies,
    passed: rows.every(({ counts }) => counts.lost === 0 && counts.doubled === 0),
  };
}

/** Does each act at its time; resolves when all are over. */
async function play(
  stage: Stage,
  acts: readonly Parameters<typeof perform>[1][],
  { begun, durationMs, progress }: { begun: number; durationMs: number; progress: (text: string) => void },
): Promise<void> {
  const ended = new AbortController();
  const looking = (async () => {
    let said = 0;
    while (!ended.signal.aborted) {
      await lookAround(stage);
      if (stage.now() - said > SAY_EVERY_MS) {
        said = stage.now();
        progress(summary(stage, begun, durationMs));
      }
      await pause(LOOK_EVERY_MS, undefined, { signal: ended.signal }).catch(() => {});
    }
  })();
  const running: Promise<void>[] = [];
  for (const act of acts) {
    const wait = begun + act.at - stage.now();
    if (wait > 0) await pause(wait);
    running.push(perform(stage, act).catch((error) => stage.ledger.note(`${act.does} did not work: ${error}`)));
  }
  await Promise.all(running);
  ended.abort();
  await looking;
}

function summary({ ledger, file, gateways, now }: Stage, begun: number, durationMs: number): string {
  const { inbox, outbox } = file.open();
  const time = `${Math.round((now() - begun) / 1000)} of ${Math.round(durationMs / 1000)} s`;
  return `${time}: ${ledger.asked.size} written, ${inbox} to be answered, ${outbox} to be sent, ${gateways.kills} kills`;
}

function harmsOf({ gateways, ledger }: Stage): Record<string, number> {
  const count = (pattern: RegExp) => ledger.notes.filter(({ what }) => pattern.test(what)).length;
  return {
    kills: gateways.kills,
    stops: gateways.freezes,
    locks: count(/^another program holds/),
    "full disks": count(/^the disk is full|^no file of/),
    "times away": count(/^both gateways are away/),
    "troubles of platforms": count(/^trouble:/),
  };
}
