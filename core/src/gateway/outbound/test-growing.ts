import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, gate } from "@hermes/testing";
import { LoopbackPlatform } from "@hermes/testing/loopback-platform";
import { expect, vi } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HermesError, PlatformError } from "../../base/errors.ts";
import { silentLogger } from "../../base/logger.ts";
import { type Holder, thisProcess } from "../../base/process-identity.ts";
import { openStore } from "../../host/open-store.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import { OPERATOR } from "../../model/session.ts";
import type { Turn } from "../../model/turn.ts";
import { offerUndelivered } from "../../store/offer-undelivered.ts";
import { accountLease } from "../../store/work-stores.ts";
import type { Delivery } from "./delivery.ts";
import { GrowingAnswer } from "./growing-answer.ts";
import { deliveryOf } from "./test-delivery.ts";
import { TurnPresenter } from "./turn-presenter.ts";

export const CONVERSATION = { platform: "loopback", chatId: "home", kind: "dm" } as const;
export const KEY = buildSessionKey(CONVERSATION);
export const NOTICE = "This may not have reached you before:";
export const [HOLDER, NEXT] = [thisProcess("prc_1", "gateway"), thisProcess("prc_2", "gateway")];

const about = (reason: string) => ({ platform: "loopback", reason });
export const UNCERTAIN = new PlatformError("PLATFORM_UNCERTAIN", about("the answer was lost"));
export const UNAVAILABLE = new PlatformError("PLATFORM_UNAVAILABLE", about("it is not connected"));
export const LIMITED = new PlatformError(
  "PLATFORM_RATE_LIMITED",
  { platform: "loopback", seconds: 1 },
  { retryAfterMs: 1_000 },
);
export const refusal = (code: "PLATFORM_FORBIDDEN" | "PLATFORM_NOT_FOUND" | "PLATFORM_REJECTED") =>
  new PlatformError(code, { ...about("the thread is archived"), hint: "Write in it." });

/** The row of a whole answer. */
export function answer(markdown: string): NewOutboxEntry {
  return { key: KEY, conversation: CONVERSATION, message: { kind: "answer", markdown } };
}

export type GrowingTest = Awaited<ReturnType<typeof openGrowingTest>>;

/** For tests of growing answers: a session in a chat in which a person wrote, and the gateway that answers there. */
export async function openGrowingTest() {
  const folder = mkdtempSync(join(tmpdir(), "hermes-growing-"));
  const clock = createVirtualClock();
  const opened = await openStore(folder, { clock, probe: { fate: () => "alive" } });
  // A copy, so that a test can put another call in place of one.
  const store = { ...opened, outbox: { ...opened.outbox }, turns: { ...opened.turns } };
  const platform = new LoopbackPlatform();
  const adapter = platform.newAdapter();
  const deliveries: Delivery[] = [];
  const newPresenter = () => {
    const delivery = deliveryOf({ store, clock, adapter, holder: HOLDER });
    deliveries.push(delivery);
    return new TurnPresenter(store, clock, silentLogger, adapter, delivery);
  };
  let presenter = newPresenter();
  const session = await store.sessions.create({ user: OPERATOR, origin: KEY, originChat: KEY });
  const message = { conversation: CONVERSATION, messageId: "in-1", sender: { id: "ada" }, sentAt: 0, text: "Hello" };
  const accepted = await store.inbox.acceptInbound(KEY, message);
  if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
  const cause = { kind: "inbox", inboxId: accepted.row.id } as const;

  const on = {
    ...{ clock, store, platform, adapter },
    presenter: () => presenter,

    /** From now on, turns are shown by a gateway that has not shown any. */
    restart(): void {
      presenter = newPresenter();
    },

    async start(holder: Holder = HOLDER): Promise<Turn> {
      const asked = { sessionId: session.id, holder, cause, surface: KEY, leaseMs: 15_000 };
      const started = await store.turns.startTurn({ ...asked, message: { role: "user", text: "Hello" } });
      if (!started.ok) throw new Error(started.reason);
      return started.turn;
    },

    /** The turn of the next process, once the lease of the first one is over. */
    async startNext(): Promise<Turn> {
      await clock.advance(15_000);
      return on.start(NEXT);
    },

    grow: (turn: Turn) => new GrowingAnswer(presenter, { key: KEY, conversation: CONVERSATION }, turn),

    /** Shows the texts of a turn one after the other, and does not close it. */
    async growing(turn: Turn, ...texts: readonly string[]): Promise<GrowingAnswer> {
      const growing = on.grow(turn);
      for (const text of texts) {
        growing.push(text);
        await clock.advance(1_000);
      }
      return growing;
    },

    /** A turn that has shown these texts, one after the other. */
    async shown(...texts: readonly string[]): Promise<Turn> {
      const turn = await on.start();
      await (await on.growing(turn, ...texts)).close();
      return turn;
    },

    /** Stores the answer of a turn. */
    async end({ id: turnId, fence }: Turn, markdown = "One, two"): Promise<void> {
      await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
      await store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [answer(markdown)] });
    },

    /** Ends a turn, and lets its answer go out, for which no time passes. */
    async finish(turn: Turn, markdown?: string): Promise<void> {
      await on.end(turn, markdown);
      await on.untilSent(0);
    },

    /** Waits until the answer is out, and lets `stepMs` pass again and again meanwhile. */
    async untilSent(stepMs = 1_000): Promise<void> {
      await vi.waitFor(async () => {
        if (stepMs > 0) await clock.advance(stepMs);
        expect(await store.outbox.head(KEY)).toBeNull();
      });
    },

    /**
     * Ends a turn in a process that dies instead of recording what became of the answer. The next process, for which `prepare` is called, sends what is left.
     */
    async dieEnding(turn: Turn, prepare = () => {}): Promise<void> {
      const { settleSend } = store.outbox;
      const held = gate();
      store.outbox.settleSend = async () => {
        await held.pass();
        throw new Error("this process is dead");
      };
      await on.end(turn);
      await held.reached;
      store.outbox.settleSend = settleSend;
      prepare();
      on.restart();
      await on.untilSent();
      held.open();
    },

    /** Offers what may not have arrived, as before the next answer, and waits until that is out. */
    async offer(): Promise<void> {
      await store.leases.acquire(accountLease("loopback", undefined), HOLDER, 60_000);
      await offerUndelivered(store, { key: KEY, conversation: CONVERSATION });
      await on.untilSent();
    },

    texts: () => platform.textsIn("home"),

    /** What is known of the answers that are not known to have arrived. */
    undelivered: async () => (await store.deliveries.list({ limit: 9 })).map(({ state }) => state),

    /** The next send arrives, and its answer is lost. */
    loseNextReply(error: Error = UNCERTAIN): void {
      platform.onSent = () => {
        platform.onSent = () => {};
        throw error;
      };
    },

    /** Neither a repeated send nor a look tells what became of one. */
    tellNothingOfSends(): void {
      platform.capabilities = { ...platform.capabilities, idempotentSend: false };
      adapter.findSent = undefined;
    },

    /** The next time that a draft is saved with its message, the store is busy. */
    failToSaveDraft(): void {
      const { saveDraft } = store.outbox;
      store.outbox.saveDraft = async (draft) => {
        if (draft.messageId === null) return saveDraft(draft);
        store.outbox.saveDraft = saveDraft;
        throw new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });
      };
    },

    async [Symbol.asyncDispose](): Promise<void> {
      for (const delivery of deliveries) await delivery[Symbol.asyncDispose]();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return on;
}
