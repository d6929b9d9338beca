import type { Holder } from "../../base/process-identity.ts";
import type { GatewayRow, ServedPlatform } from "../../model/gateway-row.ts";
import type { GatewayStore } from "../work-stores.ts";
import type { Context } from "./connection.ts";
import { since, steadyIn } from "./expiry.ts";

/** Milliseconds for which a gateway counts as alive after a heartbeat. */
const HEARTBEAT_MS = 15_000;

/** Milliseconds for which the row of a killed gateway is kept. */
const KEPT_MS = 100 * HEARTBEAT_MS;

interface Row {
  readonly id: string;
  readonly holder: string;
  readonly started_at: number;
  readonly heartbeat_at: number;
  readonly heartbeat_steady: string | null;
  readonly config_path: string | null;
  readonly config_changed: number;
  readonly platforms: string;
}

export function sqliteGateways({ db, clock, probe }: Context): GatewayStore {
  const rows = (where = "TRUE", ...values: readonly number[]) =>
    db.all<Row>(`SELECT * FROM gateways WHERE ${where} ORDER BY started_at, id`, ...values);
  const ageOf = (row: Row) => since(clock, row.heartbeat_at, row.heartbeat_steady);
  return {
    heartbeat: (gateway) =>
      db.write(() => {
        db.run(
          `INSERT OR REPLACE INTO gateways (
             id, holder, started_at, heartbeat_at, heartbeat_steady, config_path, config_changed, platforms
           ) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          gateway.id,
          JSON.stringify(gateway.holder),
          gateway.startedAt,
          clock.now(),
          steadyIn(clock, 0),
          gateway.configPath,
          gateway.configChanged ? 1 : 0,
          JSON.stringify(gateway.platforms),
        );
        // Deletes the rows of killed gateways, which cannot do it themselves.
        for (const row of rows("heartbeat_at < ?", clock.now() - KEPT_MS)) {
          if (ageOf(row) > KEPT_MS) db.run("DELETE FROM gateways WHERE id = ?", row.id);
        }
      }),

    alive: () =>
      db.read(() =>
        rows()
          .filter((row) => ageOf(row) <= HEARTBEAT_MS)
          .map(toGateway)
          .filter((gateway) => probe.fate(gateway.holder) !== "gone"),
      ),

    silent: () =>
      db.read(() =>
        rows()
          .filter((row) => ageOf(row) > HEARTBEAT_MS)
          .map(toGateway)
          .filter((gateway) => probe.fate(gateway.holder) === "alive"),
      ),

    remove: (id) =>
      db.write(() => {
        db.run("DELETE FROM gateways WHERE id = ?", id);
      }),
  };
}

function toGateway(row: Row): GatewayRow {
  return {
    id: row.id,
    holder: JSON.parse(row.holder) as Holder,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    configPath: row.config_path,
    configChanged: row.config_changed === 1,
    platforms: JSON.parse(row.platforms) as ServedPlatform[],
  };
}
