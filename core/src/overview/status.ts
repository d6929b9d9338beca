import type { GatewayRow } from "../model/gateway-row.ts";
import type { Handoff } from "../model/handoff.ts";
import { accountName } from "../model/identity.ts";
import type { Store } from "../store/store.ts";
import { accountLease } from "../store/work-stores.ts";
import { handoffDocument } from "./handoff-document.ts";

/** The most handoffs in flight that are shown. */
const MOST_HANDOFFS = 100;

/** What runs, read from the store alone. */
export interface Status {
  readonly gateways: readonly GatewayRow[];
  readonly sessions: number;
  readonly handoffs: readonly Handoff[];
  /** What went wrong at each platform account, by the name of its lease. */
  readonly counts: ReadonlyMap<string, Counts>;
}

export interface Counts {
  /** Messages that are still to be sent. */
  readonly waiting: number;
  /** Those that the platform refused for good. */
  readonly failed: number;
  /** Messages of people who are not allowed. */
  readonly refused: number;
}

export async function readStatus(store: Store): Promise<Status> {
  const [gateways, sessions, handoffs] = await Promise.all([
    store.gateways.alive(),
    store.sessions.count(),
    store.handoffs.list({ inFlight: true, limit: MOST_HANDOFFS }),
  ]);
  return { gateways, sessions, handoffs, counts: await undelivered(store, gateways) };
}

/** The gateways, what they serve and how that is, and the handoffs in flight: `hermes status --json`. */
export function statusDocument({ gateways, sessions, handoffs, counts }: Status) {
  return {
    gateways: gateways.map(({ id, holder, startedAt, heartbeatAt, configPath, configChanged = false }) => {
      return { id, pid: holder.pid, startedAt, heartbeatAt, configPath, configChanged };
    }),
    adapters: gateways.flatMap(({ platforms }) =>
      platforms.map(({ platform, account, health, standby, home, notice }) => ({
        platform,
        ...(account === undefined ? {} : { account }),
        name: accountName({ platform, account }),
        health: health.state,
        detail: health.detail ?? null,
        address: health.address ?? null,
        standby,
        home: home?.name ?? home?.chatId ?? null,
        // Whether others than the operator read what is handed off to it.
        isHomeShared: home === null ? null : home.kind !== "dm",
        notice: notice ?? null,
        ...counts.get(accountLease(platform, account)),
      })),
    ),
    sessions,
    handoffs: handoffs.map((handoff) => handoffDocument(handoff)),
  };
}

async function undelivered(store: Store, gateways: readonly GatewayRow[]): Promise<ReadonlyMap<string, Counts>> {
  const accounts = new Map(
    gateways.flatMap(({ platforms }) =>
      platforms.map(({ platform, account }) => [accountLease(platform, account), { platform, account }] as const),
    ),
  );
  const counted = [...accounts].map(async ([name, { platform, account }]) => {
    const { waiting, failed } = await store.outbox.counts(platform, account);
    return [name, { waiting, failed, refused: await store.users.refused(platform, account) }] as const;
  });
  return new Map(await Promise.all(counted));
}
