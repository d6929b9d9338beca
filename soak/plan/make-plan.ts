import { type Act, PLATFORM_NAMES, PLATFORMS, type Plan, type PlatformName, type Shape, type Who } from "./acts.ts";
import { Draw } from "./draw.ts";

/**
 * Mean pauses between two acts of a kind, in milliseconds. What people write is what two gateways on two cores get through
 * although one of them is gone half of the time: a queue that only grows would say nothing of what is lost in it.
 */
const EVERY_MS = { write: 600, renew: 6_000, handOff: 12_000, harm: 9_000, trouble: 1_500 };

/** Before this the gateways start; the first message finds them there. */
const QUIET_MS = 1_000;

const HARMS = { kill: 50, freeze: 14, lock: 18, fill: 8, leave: 6 } as const;
const WHO: Readonly<Record<Who, number>> = { serving: 70, standby: 15, both: 15 };

/** What each harm lasts, in milliseconds. A lease lasts 15 s, a start of a gateway about two. */
const LASTS = {
  kill: [300, 6_000],
  freeze: [500, 22_000],
  lock: [200, 9_000],
  fill: [500, 6_000],
  leave: [12_000, 30_000],
} as const;

/** One of so many outlasts whatever a process tries again before it gives up. */
const LONG: Partial<Record<keyof typeof HARMS, { readonly oneOf: number; readonly lasts: readonly [number, number] }>> =
  {
    lock: { oneOf: 5, lasts: [25_000, 50_000] },
    fill: { oneOf: 4, lasts: [10_000, 30_000] },
  };

/** Draws the acts of a run. The same seed and duration make the same plan. */
export function makePlan(seed: number, durationMs: number): Plan {
  const counts = new Map<string, number>();
  const token = (kind: string, platform: PlatformName) => {
    const name = `${kind}-${PLATFORMS[platform]}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name}-${String(count).padStart(5, "0")}`;
  };
  // A row of numbers for each kind, so that more of one kind changes nothing about the others.
  const row = (kind: keyof typeof EVERY_MS, act: (draw: Draw, at: number) => Act): Act[] => {
    const draw = new Draw(seed * 31 + Object.keys(EVERY_MS).indexOf(kind));
    const acts: Act[] = [];
    for (let at = QUIET_MS; at < durationMs; at += draw.around(EVERY_MS[kind])) acts.push(act(draw, at));
    return acts;
  };
  const acts = [
    ...row("write", (draw, at) => {
      const platform = draw.pick(PLATFORM_NAMES);
      const place = draw.between(0, 999);
      const byNewcomer = draw.between(1, 4) === 1;
      return { at, does: "write", platform, place, token: token("q", platform), shape: shapeOf(draw), byNewcomer };
    }),
    ...row("renew", (draw, at) => {
      return { at, does: "renew", platform: draw.pick(PLATFORM_NAMES), place: draw.between(0, 999) };
    }),
    ...row("handOff", (draw, at) => {
      const platform = draw.pick(PLATFORM_NAMES);
      const tokens = { asked: token("s", platform), token: token("h", platform) };
      return { at, does: "hand-off", platform, ...tokens, shape: shapeOf(draw) };
    }),
    ...row("harm", harmDrawer()),
    ...row("trouble", (draw, at) => {
      const platform = draw.pick(PLATFORM_NAMES);
      return { at, does: "trouble", platform, which: draw.between(0, 999), place: draw.between(0, 999) };
    }),
  ];
  return { seed, durationMs, acts: acts.sort((a, b) => a.at - b.at) };
}

/** The part `number` of `of` equal ones, as a run of its own. */
export function partOf({ seed, durationMs, acts }: Plan, number: number, of: number): Plan {
  const length = durationMs / of;
  const from = length * (number - 1);
  const own = acts.filter(({ at }) => at >= from && at < from + length);
  return { seed, durationMs: length, acts: own.map((act) => ({ ...act, at: act.at - from })) };
}

/** Draws harms one after the other: which of a kind are long goes by their number, so that every run has some. */
function harmDrawer(): (draw: Draw, at: number) => Act {
  const counts = new Map<keyof typeof HARMS, number>();
  return (draw, at) => {
    const does = draw.weighted(HARMS);
    const count = (counts.get(does) ?? 0) + 1;
    counts.set(does, count);
    const long = LONG[does];
    const [low, high] = long !== undefined && count % long.oneOf === 2 ? long.lasts : LASTS[does];
    const forMs = draw.between(low, high);
    if (does === "kill" || does === "freeze") return { at, does, who: draw.weighted(WHO), forMs };
    return { at, does, forMs };
  };
}

/** Most answers are short and at once; some grow slowly, and some need several messages. */
function shapeOf(draw: Draw): Shape {
  const paragraphs = Number(draw.weighted({ 1: 80, 4: 12, 14: 8 }));
  const isSlow = draw.between(1, 100) <= 35;
  return { paragraphs, holdMs: isSlow ? draw.between(200, 5_000) : 0 };
}
