import { EVERY_SESSION, OPERATOR, type Store, type UserId, type Visibility } from "@hermes/core/embed";
import { AT_TERMINAL } from "../support/fill.ts";
import type { Measurement } from "../support/measurement.ts";
import { createScratchHost } from "../support/scratch-host.ts";
import { summarize } from "../support/statistics.ts";

const PAGE = 50;
/** One session in twenty is hers. */
const GUEST = "web:guest" as UserId;

export const sessionList: Measurement = {
  name: "session-list",
  what: "10,000 sessions are listed by pages of 50, and the first page alone",
  unit: "ms a page",
  target: { figure: "p95", atMost: 10 },
  async run({ quick, progress }) {
    const count = quick ? 1_000 : 10_000;
    await using scratch = await createScratchHost();
    const { store } = scratch.host;
    progress(`${count} sessions are written`);
    for (let i = 0; i < count; i++) {
      await store.sessions.create({ ...AT_TERMINAL, title: `Session ${i}`, user: i % 20 === 0 ? GUEST : OPERATOR });
    }
    const first: number[] = [];
    for (let i = 0; i < 200; i++) first.push((await listPage(store, EVERY_SESSION)).ms);
    const all = await listAll(store, EVERY_SESSION, count);
    const guest: number[] = [];
    // Hers are few pages: often enough for a p95 that is not the one slowest.
    for (let i = 0; i < 20; i++) guest.push(...(await listAll(store, { kind: "begun-by", user: GUEST }, count / 20)));
    return {
      values: summarize([...first, ...all, ...guest]),
      cases: {
        "first page": summarize(first),
        "every page": summarize(all),
        "every page of one person's": summarize(guest),
      },
    };
  },
};

/** How long each page took, in milliseconds. */
async function listAll(store: Store, visible: Visibility, expected: number): Promise<number[]> {
  const times: number[] = [];
  let listed = 0;
  let cursor: string | undefined;
  do {
    const page = await listPage(store, visible, cursor);
    times.push(page.ms);
    listed += page.count;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  if (listed !== expected) throw new Error(`${listed} sessions were listed, not ${expected}`);
  return times;
}

async function listPage(store: Store, visible: Visibility, cursor?: string) {
  const from = performance.now();
  const page = await store.sessions.list({ visible, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
  return { ms: performance.now() - from, count: page.sessions.length, cursor: page.cursor };
}
