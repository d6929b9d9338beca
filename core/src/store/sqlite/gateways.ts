import type { Holder } from "../../base/process-identity.ts";
import type { GatewayRow, ServedPlatform } from "../../model/gateway-row.ts";
import type { GatewayStore } from "../work-stores.ts";
import type { Context } from "./connection.ts";

/** For how long a heartbeat speaks for a gateway, in milliseconds. */
const HEARTBEAT_MS = 15_000;

interface Row {
  readonly id: string;
  readonly holder: string;
  readonly started_at: number;
  readonly heartbeat_at: number;
  readonly config_path: string | null;
  readonly config_changed: number;
  readonly platforms: string;
}

export function sqliteGateways({ db, clock, probe }: Context): GatewayStore {
  return {
    heartbeat: (gateway) =>
      db.write(() => {
        db.run(
          "INSERT OR REPLACE INTO gateways (id, holder, started_at, heartbeat_at, config_path, config_changed, platforms) VALUES (?, ?, ?, ?, ?, ?, ?)",
          gateway.id,
          JSON.stringify(gateway.holder),
          gateway.startedAt,
          clock.now(),
          gateway.configPath,
          gateway.configChanged ? 1 : 0,
          JSON.stringify(gateway.platforms),
        );
        // Rows of gateways that were killed; nobody else would remove them.
        db.run("DELETE FROM gateways WHERE heartbeat_at < ?", clock.now() - 100 * HEARTBEAT_MS);
      }),

    alive: () =>
      db.read(() =>
        db
          .all<Row>(
            "SELECT * FROM gateways WHERE heartbeat_at >= ? ORDER BY started_at, id",
            clock.now() - HEARTBEAT_MS,
          )
          .map(toGateway)
          .filter((gateway) => probe.fate(gateway.holder) !== "gone"),
      ),

    silent: () =>
      db.read(() =>
        db
          .all<Row>("SELECT * FROM gateways WHERE heartbeat_at < ? ORDER BY started_at, id", clock.now() - HEARTBEAT_MS)
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
