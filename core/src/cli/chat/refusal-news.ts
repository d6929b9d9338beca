import { inject, Lifecycle, scoped } from "tsyringe";
import { KeyedQueue } from "../../base/keyed-queue.ts";
import { count } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";
import type { UndeliveredMessage } from "../../model/delivery.ts";
import type { OutboxId } from "../../model/outbox.ts";
import type { SessionId } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";
import { HOST, OUTPUT } from "./tokens.ts";

/** How many messages that did not arrive are counted, and how many are looked at with each change of the store. */
const LIMIT = 99;
const LATEST = 20;

/** Whether nothing more is said of a message by itself: it failed, or may have arrived and is held back. */
function isOver({ state, isHeldBack, isUnderWay }: UndeliveredMessage): boolean {
  return state === "failed" || (state === "uncertain" && isHeldBack && !isUnderWay);
}

/** Whether it was not told yet, or was sent again by hand since. What is refused when it is offered is no news. */
function isNews({ dueAt, wasOffered, toldAt = null }: UndeliveredMessage, told?: UndeliveredMessage): boolean {
  if (told === undefined) return true;
  // An offer leaves when it was told as it is, by hand it begins anew.
  const { toldAt: before = null } = told;
  if (before !== null) return toldAt !== before;
  return toldAt === null && dueAt !== told.dueAt && wasOffered === told.wasOffered;
}

/** Tells the person at the terminal which messages did not reach the people on a platform. */
@scoped(Lifecycle.ContainerScoped)
export class RefusalNews {
  readonly #seen = new Map<OutboxId, UndeliveredMessage>();
  /** One look at a time, so that nothing is said twice. */
  readonly #looks = new KeyedQueue<"look">();

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
  ) {}

  /** Says how many there are when the chat begins. */
  open(): Promise<void> {
    return this.#looks.run("look", async () => {
      const messages = await this.host.store.deliveries.list({ limit: LIMIT });
      for (const message of messages) if (isOver(message)) this.#seen.set(message.id, message);
      if (messages.length === 0) return;
      const number = messages.length === LIMIT ? `${LIMIT} messages or more` : count(messages.length, "message");
      this.output.note(`${number} did not arrive, or may not have: \`hermes deliveries\` says which and why.`);
    });
  }

  /** Says which were refused since; not those of the session that is open, whose transcript says it. */
  show(open: SessionId | null): Promise<void> {
    return this.#looks.run("look", async () => {
      const { deliveries, sessions } = this.host.store;
      const over = (await deliveries.list({ limit: LATEST })).filter(isOver);
      const fresh = over.filter((one) => isNews(one, this.#seen.get(one.id))).reverse();
      for (const one of over) this.#seen.set(one.id, one);
      for (const { id, sessionId, conversation, error, message, state } of fresh) {
        if (sessionId !== null && sessionId === open && state === "failed") continue;
        const session = sessionId === null ? null : await sessions.get(sessionId);
        const { deleted } = message.tellsOf ?? {};
        const gone = deleted === undefined ? "A reply" : `A message of “${deleted}”, which was deleted,`;
        const what = session === null ? gone : `A message of “${session.title ?? session.id}”`;
        const missed = state === "failed" ? "did not reach" : "may not have reached";
        const text = `${what} ${missed} ${conversation.platform}. ${error?.text ?? ""} \`hermes deliveries show ${id}\` shows it.`;
        this.output.note(text);
      }
    });
  }
}
