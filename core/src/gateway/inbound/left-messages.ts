import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import type { Clock } from "../../base/clock.ts";
import { runWithin } from "../../base/deadline.ts";
import { reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import { ADAPTER } from "../account/account.ts";
import { Intake } from "./intake.ts";

/** How long a lane waits for the platform to say how a message reads now, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * Messages that an earlier process left: nobody may have told of an edit or a deletion while none listened, so the
 * platform is asked, where it can be, before one is answered.
 */
@scoped(Lifecycle.ContainerScoped)
export class LeftMessages {
  /** Those that this process has taken in, or asked for. */
  readonly #known = new RecentMap<InboxId, true>(1_000);
  /** Whether the platform was too slow once: nobody waits for it once more. */
  #isSlow = false;

  constructor(
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(Intake) readonly intake: Intake,
  ) {}

  received({ id }: InboxRow): void {
    this.#known.set(id, true);
  }

  /**
   * Whether the platform was asked for it: its row is to be looked at anew then. It may have been deleted or edited before,
   * or while the answer was waited for.
   */
  async mayHaveChanged(row: InboxRow, signal: AbortSignal): Promise<boolean> {
    const { id, state, message } = row;
    if (state !== "queued" || this.adapter.readNow === undefined || this.#known.has(id) || this.#isSlow) return false;
    const now = await this.#readNow(message, signal);
    this.#known.set(id, true);
    const { conversation, messageId } = message;
    if (now === null) await this.intake.retract(conversation, messageId);
    else if (now !== undefined && !isSame(now, message)) await this.intake.accept({ ...now, isEdit: true });
    return true;
  }

  /** Undefined where the platform does not say it in time: then what was kept is answered. */
  async #readNow(kept: InboundMessage, signal: AbortSignal): Promise<InboundMessage | null | undefined> {
    const { adapter, clock, logger } = this;
    const late = new Error(`it was not told within ${PATIENCE_MS} ms`);
    try {
      const ask = async (limited: AbortSignal) => adapter.readNow?.(kept, limited);
      return await runWithin(clock, PATIENCE_MS, signal, ask, late);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#isSlow ||= error === late;
      logger.warn(
        { message: kept.messageId, reason: reasonOf(error) },
        "whether a message was edited meanwhile is not known",
      );
      return undefined;
    }
  }
}

function isSame(one: InboundMessage, other: InboundMessage): boolean {
  const namesOf = ({ attachments = [] }: InboundMessage) => attachments.map(({ name }) => name).join("\n");
  return one.text === other.text && namesOf(one) === namesOf(other);
}
