import { inject, Lifecycle, scoped } from "tsyringe";
import type { Clock } from "../../base/clock.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { CLOCK } from "../../base/tokens.ts";
import { escapeMarkdown } from "../../markdown/escape-markdown.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import type { Turn, TurnId } from "../../model/turn.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import { nextChange } from "../../store/next-change.ts";
import { STORE, type Store } from "../../store/store.ts";
import type { Access } from "../account/access.ts";
import { replyTo } from "../outbound/reply.ts";
import { waitsText } from "./decision-text.ts";
import type { LaneWork } from "./lanes.ts";

/** Milliseconds after which a waiting turn is looked at again: that a question expires notifies nobody. */
const LOOK_AGAIN_MS = 1_000;

/** Messages at the head of their lanes that have to wait for a turn which waits for people. */
@scoped(Lifecycle.ContainerScoped)
export class MessagesBehindTurns {
  readonly #turns = new RecentMap<InboxId, TurnId>(1_000);
  /** Messages that this process has taken in: of any other it was said already that they wait. */
  readonly #untold = new RecentMap<InboxId, true>(1_000);
  readonly #released = new AbortController();

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
  ) {}

  received({ id }: InboxRow): void {
    this.#untold.set(id, true);
  }

  /** Notes which turn a message waits for, and says so once to whoever wrote it. */
  async begin(row: InboxRow, access: Access, turn: Turn): Promise<void> {
    this.#turns.set(row.id, turn.id);
    const { store } = this;
    const isOpen = (await store.approvals.ofTurn(turn.id)).some(({ state }) => state === "open");
    if (!isOpen || row.message.sender.isBot || !this.#untold.delete(row.id)) return;
    const isAbove = (await store.approvals.shownAt(row.key)).some(({ approval }) => approval.turnId === turn.id);
    const where = isAbove ? null : escapeMarkdown(await lookUpPlace(store, turn.surface));
    const markdown = waitsText(where, access.isOperator);
    await store.outbox.enqueue([replyTo(row, { kind: "notice", markdown }, turn.sessionId)]);
  }

  /** Whether the turn that a message was found to wait for waits still. */
  async stillWaits({ id }: Pick<InboxRow, "id">): Promise<boolean> {
    const turnId = this.#turns.get(id);
    if (turnId === undefined) return false;
    const turn = await this.store.turns.get(turnId);
    if (turn?.state === "waiting") return true;
    this.#turns.delete(id);
    return false;
  }

  /** Waits until something changes, and leaves the lane to whatever is to be done at its head. */
  async wait({ id }: InboxRow, lane: LaneWork): Promise<void> {
    using change = nextChange(this.store, this.clock, this.#released.signal);
    // It may have changed between the look before and the watch.
    if (!(await this.stillWaits({ id }))) return;
    lane.beginWait();
    await change.within(LOOK_AGAIN_MS);
  }

  /** Lets everything go that waits: this process drains. */
  release(): void {
    this.#released.abort();
  }
}
