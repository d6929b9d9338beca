import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { TurnEvent } from "../../turn/turn-runner.ts";
import { FIRST_SHOWN_MS, GrowingAnswer, type GrowingAnswerDeps, OVER } from "./growing-answer.ts";

/** Shows the people at a conversation what a turn does, as far as the platform can. */
export interface TurnPresentation {
  onEvent(event: TurnEvent): void;
  /** Shows nothing more. To be awaited before the answer is stored, so that it finds the message it completes. */
  close(): Promise<void>;
}

/** A platform's typing sign fades after a few seconds, so it is shown again, in milliseconds. */
const TYPING_EVERY_MS = 4_000;

export function presentTurn(
  deps: GrowingAnswerDeps,
  at: { readonly key: SessionKey; readonly conversation: Conversation },
): TurnPresentation {
  const { adapter, clock, logger } = deps;
  const ended = new AbortController();
  let growing: GrowingAnswer | null = null;
  let timer: Disposable | null = null;

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
        case "started":
          growing = new GrowingAnswer(deps, at, event.turn);
          typeIn(FIRST_SHOWN_MS);
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
