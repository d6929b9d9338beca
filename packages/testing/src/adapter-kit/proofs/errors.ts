import { inspect } from "node:util";
import { PlatformError } from "@hermes/core";
import { secretsIn } from "@hermes/core/internal";
import { CannotEmulate } from "@hermes/emulator";
import { check, checkEqual, shown, thrownBy } from "../check.ts";
import { NotClaimed, proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";
import type { KitRefusal } from "../subject.ts";
import { wrongOptions } from "../wrong-options.ts";

export const errorProofs = proofsOfRule("Errors become PlatformErrors, without a token", [
  {
    id: "errors/wrong-token",
    proof: "rejected credentials are reported in the health, and appear in no log, store or error",
    async run({ stage, subject }) {
      let wrong: Readonly<Record<string, unknown>> = {};
      await stage(async ({ emulator }) => {
        wrong = subject.wrongToken?.(emulator) ?? wrongOptions(emulator.options);
        if (secretsIn(emulator.options).length === 0) throw new NotClaimed("Its options hold no token");
      });
      const secrets = secretsIn(wrong);
      await stage(
        async (on) => {
          const gateway = await on.gateway();
          await on.until("the health says so", () => gateway.health().state === "down");
          const { detail = "" } = gateway.health();
          check(
            /credential|token|unauthori[sz]ed|log ?in|sign/i.test(detail),
            () => `the health says ${shown(detail)}`,
          );
          for (const secret of secrets) check(!detail.includes(secret), "the token stands in the health");
          checkEqual(on.emulator.isConnected, false, "whether the client is connected");
        },
        { options: wrong, secrets },
      );
    },
  },
  {
    id: "errors/refused",
    proof: "each refusal of the platform becomes the right error, retryable only if a retry may succeed",
    async run({ stage, subject }) {
      const { refusals = [] } = subject;
      if (refusals.length === 0) throw new NotClaimed("The adapter's test names no refusals");
      for (const refusal of refusals) {
        if (refusal.operation === "createThread") continue;
        await stage(async (on) => {
          const error = await refused(on, refusal);
          const { code, becomes, operation } = refusal;
          check(error instanceof PlatformError, () => `${code} at ${operation} threw ${String(error)}`);
          checkEqual(error.code, becomes, `${code} at ${operation} became`);
          const isRetryable = becomes === "PLATFORM_RATE_LIMITED" || becomes === "PLATFORM_UNAVAILABLE";
          checkEqual(error.retryable, isRetryable, `whether ${error.code} is retryable`);
          check(
            !/\{\w+\}/.test(`${error.message} ${error.hint}`),
            () => `a field is missing in ${shown(error.message)}`,
          );
          expectNoToken(on, error);
        });
      }
    },
  },
  {
    id: "errors/unreachable",
    proof: "a platform that fails or disappears during a call causes PlatformErrors without a token",
    async play(on) {
      const { adapter } = await on.gateway();
      const at = await adapter.homeConversation(on.home.home);
      const piece = on.piece("Hello.");
      for (const is of ["break", "disconnect"] as const) {
        // If platform and gateway are one process, there is no connection to lose.
        if (!isPlayed(() => on.emulator.fail({ operation: "send", times: 1_000, kind: { is } }), is === "break"))
          continue;
        const error = await thrownBy(() => adapter.send(at, piece, on.sendOptions(`key-${is}`)), `a send at ${is}`);
        check(error instanceof PlatformError, () => `a send at ${is} threw ${String(error)}`);
        expectNoToken(on, error);
        on.emulator.heal();
      }
    },
  },
  {
    id: "errors/home",
    proof: "a home channel that does not exist is rejected with the next step, also in the gateway's health",
    async run({ stage, subject }) {
      let chatId = "";
      let isTaken = true;
      await stage(async (on) => {
        const { adapter } = await on.gateway();
        const known = on.emulator.chats.map(({ id }) => id);
        chatId = unknownLike(on.home.home.chatId, known);
        const error = await thrownBy(() => adapter.homeConversation({ chatId }), "a home that is not there");
        check(error instanceof PlatformError, () => `a home that is not there threw ${String(error)}`);
        check(error.hint.length > 10, () => `${error.code} does not say what to do`);
        expectNoToken(on, error);
        // If the config's schema already refuses it, no gateway ever uses it.
        const { schema, options } = subject.descriptor(on.emulator, { homeChannel: { chatId } });
        isTaken = !(await schema["~standard"].validate(options)).issues;
      });
      if (!isTaken) return;
      await stage(
        async (on) => {
          const gateway = await on.gateway();
          await on.until("the health says so", () => gateway.health().state !== "up");
          const { state, detail = "" } = gateway.health();
          check(state !== "starting" && detail.length > 10, () => `the health is ${shown(gateway.health())}`);
        },
        { options: { homeChannel: { chatId, shared: true } } },
      );
    },
  },
]);

/** Whether the emulator can play a failure. If it is needed, CannotEmulate is passed on: there is nothing to prove. */
function isPlayed(fail: () => void, isNeeded: boolean): boolean {
  try {
    fail();
    return true;
  } catch (error) {
    if (isNeeded || !(error instanceof CannotEmulate)) throw error;
    return false;
  }
}

async function refused(on: Stage, { operation, code }: KitRefusal): Promise<unknown> {
  const { adapter } = await on.gateway();
  const at = await adapter.homeConversation(on.home.home);
  const [piece, other] = [on.piece("Hello."), on.piece("Hello again.")];
  const sent = operation === "edit" ? await adapter.send(at, piece, on.sendOptions("key-1")) : null;
  on.emulator.fail({ operation, kind: { is: "refuse", code } });
  return thrownBy(async () => {
    if (operation === "home") return adapter.homeConversation(on.home.home);
    if (sent === null) return adapter.send(at, piece, on.sendOptions("key-2"));
    return adapter.edit?.(at, sent.messageId, other, on.sendOptions("key-3"));
  }, `${code} at ${operation}`);
}

export function expectNoToken(on: Stage, error: PlatformError): void {
  const { message, hint, fields, stack } = error;
  const told = inspect({ message, hint, fields, stack });
  for (const secret of secretsIn(on.emulator.options)) {
    check(secret.length < 8 || !told.includes(secret), `a token stands in ${error.code}`);
  }
}

/** An id of the same form that no chat has, with another last digit or letter. */
function unknownLike(chatId: string, known: readonly string[]): string {
  for (const end of "7395128460zqxkvw") {
    const candidate = chatId.replace(/[a-z0-9](?=[^a-z0-9]*$)/i, end);
    if (!known.includes(candidate) && candidate !== chatId) return candidate;
  }
  return `${chatId}7`;
}
