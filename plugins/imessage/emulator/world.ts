import type { Clock } from "@hermes/core";
import type { FailureScript } from "@hermes/emulator";
import { Database } from "./database.ts";
import { Events } from "./events.ts";
import { Mac, type MacState } from "./mac.ts";
import type { Row } from "./rows.ts";
import type { SocketIo } from "./socket-io.ts";
import type { Webhooks } from "./webhooks.ts";

export interface WorldParts {
  readonly clock: Clock;
  readonly script: FailureScript;
  readonly socket: SocketIo;
  readonly webhooks: Webhooks;
}

/** The Mac with its Messages, the people who write, and the server that tells of it. */
export class World {
  readonly clock: Clock;
  readonly mac: Mac;
  readonly database: Database;
  readonly events: Events;
  readonly webhooks: Webhooks;
  /** The next message that is sent fails after so long, with this error. */
  readonly lateErrors: { readonly code: number; readonly afterMs: number }[] = [];
  /** Addresses that are not on iMessage. */
  readonly unreachable = new Set<string>();
  /** Names that are being sent under. */
  readonly sending = new Set<string>();

  constructor(parts: WorldParts) {
    this.clock = parts.clock;
    this.mac = new Mac(parts.clock);
    this.database = new Database({ now: () => this.clock.now() + this.mac.state.clockAheadMs });
    this.webhooks = parts.webhooks;
    this.events = new Events({ ...parts, mac: this.mac });
  }

  /** Brings what somebody wrote to the Mac, at once or when it is there again. */
  arrive(row: Row, isFromPerson: boolean): void {
    const { power, isSignedIn, linksAttachmentsLate } = this.mac.state;
    if (power !== "on" || !isSignedIn) {
      this.database.cloud.push(row);
      return;
    }
    this.database.add(row);
    if (linksAttachmentsLate && row.attachments.length > 0) this.#linkLate(row);
    this.events.tellNew(row, isFromPerson);
  }

  /** Changes the Mac. What was written meanwhile comes when it can; of what came while it restarted, nobody is told. */
  setMac(state: Partial<MacState>): void {
    const before = { ...this.mac.state };
    Object.assign(this.mac.state, state);
    const { power, isSignedIn } = this.mac.state;
    if (power === "on" && before.power === "asleep") this.mac.wake();
    if (power !== "on" || !isSignedIn) return;
    for (const row of this.database.cloud.splice(0)) {
      this.database.add(row);
      if (before.power !== "restarting") this.events.tellNew(row, true);
    }
    if (before.power === "asleep") this.events.catchUp();
    if (before.power === "restarting") this.events.tell("hello-world", null);
  }

  #linkLate(row: Row): void {
    row.linkedAttachments = 0;
    this.clock.setTimer(LINKED_AFTER_MS, () => {
      row.linkedAttachments = row.attachments.length;
    });
  }
}

const LINKED_AFTER_MS = 1_000;
