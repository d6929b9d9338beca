import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import type { Turn } from "../../model/turn.ts";
import { STORE, type Store } from "../../store/store.ts";
import type { TurnEvent } from "../../turn/turn-runner.ts";
import { ADAPTER } from "../account/account.ts";
import { Delivery } from "./delivery.ts";
import { FIRST_SHOWN_MS, GrowingAnswer, OVER } from "./growing-answer.ts";

/** Shows the people at a conversation what a turn does, as far as the platform can. */
export interface TurnPresentation {
  onEvent(event: TurnEvent): void;
  /** Shows nothing more. To be awaited before the answer is stored, so that it finds the message it completes. */
  close(): Promise<void>;
}

/** Milliseconds between two typing indicators, which platforms remove after a few seconds. */
const TYPING_EVERY_MS = 4_000;

/** Shows turns in the conversations of a platform account while they run. */
@scoped(Lifecycle.ContainerScoped)
export class TurnPresenter {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(Delivery) readonly delivery: Delivery,
  ) {}

  present(at: { readonly key: SessionKey; readonly conversation: Conversation }): TurnPresentation {
    const { adapter, clock, logger } = this;
    const grow = (turn: Turn) => new GrowingAnswer(this, at, turn);
    const ended = new AbortController();
    let growing: GrowingAnswer | null = null;
    let timer: Disposable | null = null;

    const beginTyping = () => {
      if (timer === null) typeIn(FIRST_SHOWN_MS);
    };

    const typeIn = (delayMs: number) => {
      if (adapter.typing && !ended.signal.aborted) timer = clock.setTimer(delayMs, type);
    };

    const type = () => {
      adapter.typing?.(at.conversation, ended.signal).catch((error: unknown) => {
        logger.debug({ key: at.key, error }, "a typing sign could not be shown");
      });
      typeIn(TYPING_EVERY_MS);
    };

    return {
      onEvent(event) {
        switch (event.type) {
          case "waiting":
            // Whoever writes during a turn sees that it was noticed.
            if (event.for.reason === "busy") beginTyping();
            break;
          case "started":
            growing = grow(event.turn);
            beginTyping();
            break;
          case "text":
            growing?.push(event.delta);
            break;
          case "tool-call":
            growing?.restart();
        }
      },
      async close() {
        ended.abort(OVER);
        timer?.[Symbol.dispose]();
        await growing?.close();
      },
    };
  }
}
