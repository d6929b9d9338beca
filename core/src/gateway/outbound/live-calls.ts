import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { ShownTurn } from "../../adapter/session-history.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import { CLOCK } from "../../base/tokens.ts";
import type { SessionId } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import { STORE, type Store } from "../../store/store.ts";
import { ADAPTER } from "../account/account.ts";
import type { ReadAt } from "../account/chat-readers.ts";
import { CallReaders } from "./call-readers.ts";
import { ShownTurns } from "./shown-turns.ts";

/** Milliseconds between two looks at a turn of which nothing is seen to have changed: rights may have. */
const LOOK_EVERY_MS = 1_000;

interface Shown {
  readonly turnId: TurnId;
  /** As JSON, to tell whether it has changed; null while people there may not see it. */
  readonly shown: string | null;
  readonly hasOpenCalls: boolean;
  /** The last message of the session then, and when that was. */
  readonly seq: number;
  readonly at: number;
}

/** Shows the calls of the turn that runs in a session where somebody looks at it, up to the turn's end. */
@scoped(Lifecycle.ContainerScoped)
export class LiveCalls {
  readonly #shown = new Map<SessionKey, Shown>();

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(CallReaders) readonly readers: Pick<CallReaders, "mayRead">,
    @inject(ShownTurns) readonly turns: Pick<ShownTurns, "turn">,
  ) {}

  /** `running`: the turn that runs in the session. One that was shown before is shown once more when it is over. */
  async lookAt(at: ReadAt & { readonly sessionId: SessionId }, running: TurnId | null): Promise<void> {
    if (!this.adapter.showCalls) return;
    const known = this.#shown.get(at.key);
    if (known !== undefined && known.turnId !== running) {
      await this.#show(at, known.turnId, known);
      this.#shown.delete(at.key);
    }
    if (running !== null) await this.#show(at, running, known?.turnId === running ? known : undefined);
  }

  /** Nobody there may see the session any more. */
  hide({ key, conversation }: Pick<ReadAt, "key" | "conversation">): void {
    const known = this.#shown.get(key);
    this.#shown.delete(key);
    if (known !== undefined && known.shown !== null) this.adapter.showCalls?.(conversation, null);
  }

  /** Nobody looks any more: what is there when somebody does again is shown anew. */
  leave(key: SessionKey): void {
    this.#shown.delete(key);
  }

  async #show(at: ReadAt & { readonly sessionId: SessionId }, turnId: TurnId, known: Shown | undefined): Promise<void> {
    const seq = (await this.store.transcripts.read(at.sessionId, { limit: 1 })).at(-1)?.seq ?? 0;
    const now = this.clock.steady().ms;
    // An answer that grows changes the store many times a second, and none of its calls.
    const isSame = known?.seq === seq && !known.hasOpenCalls && now - known.at < LOOK_EVERY_MS;
    if (isSame) return;
    const turn = (await this.readers.mayRead(at)) ? await this.turns.turn(turnId) : null;
    const shown = turn === null || turn.calls.length === 0 ? null : JSON.stringify(turn);
    this.#shown.set(at.key, { turnId, shown, hasOpenCalls: hasOpenCalls(turn), seq, at: now });
    if (shown !== (known?.shown ?? null)) this.adapter.showCalls?.(at.conversation, shown === null ? null : turn);
  }
}

function hasOpenCalls(turn: ShownTurn | null): boolean {
  return turn?.calls.some(({ state }) => state === "waits" || state === "runs") ?? false;
}
