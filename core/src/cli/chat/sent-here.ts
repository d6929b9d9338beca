import { inject, Lifecycle, scoped } from "tsyringe";
import { KeyedQueue } from "../../base/keyed-queue.ts";
import { oneLine } from "../../base/one-line.ts";
import { shellWord } from "../../base/shell-word.ts";
import type { Host } from "../../host/host.ts";
import type { Handoff, HandoffId } from "../../model/handoff.ts";
import { typedTarget } from "../../model/place.ts";
import { EVERY_SESSION, type SessionId } from "../../model/session.ts";
import { referenceTo } from "../../store/look-up-session.ts";
import type { Output } from "../../terminal/output.ts";
import { HOST, OUTPUT } from "./tokens.ts";

/**
 * Tells the person at the terminal which sessions were sent here, until a terminal has opened them, and once why one that
 * was to go elsewhere by itself is still here.
 */
@scoped(Lifecycle.ContainerScoped)
export class SentHere {
  readonly #told = new Set<HandoffId>();
  /** One look at a time, so that nothing is said twice. */
  readonly #looks = new KeyedQueue<"look">();

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
  ) {}

  /** Says what was sent here, or failed to go, since the last look; what is open here is taken. */
  show(open: SessionId | null): Promise<void> {
    return this.#looks.run("look", async () => {
      for (const handoff of await this.host.store.handoffs.offeredToTerminal()) {
        if (handoff.state === "failed") {
          await this.#tellFailed(handoff);
        } else if (handoff.sessionId === open) {
          // First said, then taken: whoever is killed in between has said it, and another terminal says it again.
          await this.#tell(handoff, "it goes on here");
          await this.host.store.handoffs.taken(handoff.id);
        } else {
          await this.#tell(handoff, null);
        }
      }
    });
  }

  /** A session is opened here: no other terminal says any more that it was sent. */
  take(opened: SessionId): Promise<void> {
    return this.#looks.run("look", async () => {
      for (const handoff of await this.host.store.handoffs.offeredToTerminal()) {
        if (handoff.sessionId !== opened) continue;
        if (handoff.state === "failed") await this.#tellFailed(handoff);
        else await this.host.store.handoffs.taken(handoff.id);
      }
    });
  }

  async #tell({ id, sessionId, from }: Handoff, why: string | null): Promise<void> {
    if (this.#told.has(id)) return;
    this.#told.add(id);
    const { store } = this.host;
    const session = await store.sessions.get(sessionId);
    const binding = from === "terminal" ? null : await store.bindings.get(from);
    const whence = binding === null ? "" : ` from ${binding.conversation.platform}`;
    const reference = session === null ? sessionId : await referenceTo(store, session, EVERY_SESSION);
    const then = why ?? `/resume ${oneLine(reference)} goes on with it`;
    this.output.note(`“${oneLine(session?.title ?? sessionId)}” was sent here${whence}: ${then}`);
  }

  /** Of several terminals, one says it. */
  async #tellFailed({ id, sessionId, to, error }: Handoff): Promise<void> {
    if (!(await this.host.store.handoffs.taken(id))) return;
    const name = oneLine((await this.host.store.sessions.get(sessionId))?.title ?? sessionId);
    const where = typedTarget(to);
    const again = `hermes away ${shellWord(where)} --session ${sessionId}`;
    this.output.note(
      `“${name}” should have gone to ${oneLine(where)} by itself, but did not. ${oneLine(error?.text ?? "")} ` +
        `Away is off now: \`${again}\` sets it again.`,
    );
  }
}
