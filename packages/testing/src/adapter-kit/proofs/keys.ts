import { buildSessionKey } from "@hermes/core";
import { onAccount } from "@hermes/core/internal";
import { check, checkEqual, shown } from "../check.ts";
import type { LiveGateway } from "../machine.ts";
import { proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";
import type { KitPlace } from "../subject.ts";

export const keyProofs = proofsOfRule("One address, one key", [
  {
    id: "keys/continues",
    proof: "a message in the thread of a handoff has the session's key and continues the session, even after a restart",
    homes: {},
    play: (stage) => continues(stage, undefined),
  },
  {
    id: "keys/account",
    proof: "the same holds for a named account, whose name is part of the key",
    homes: { options: { account: "second one" } },
    play: (stage) => continues(stage, "second one"),
  },
  {
    id: "keys/chat-beside-thread",
    proof: "a message in the chat itself, beside the thread, belongs to another conversation",
    // A forum has only threads, and no chat besides them.
    homes: {
      fitting: ({ threads, canHoldMessages = true }) => threads && canHoldMessages,
      wanted: "with a chat beside its threads",
    },
    async play(stage) {
      const sessionId = await stage.terminalSession();
      const gateway = await stage.gateway();
      const thread = await stage.handOff(sessionId);
      const beside = await stage.ask(gateway);
      check(beside.session !== sessionId, "the chat itself leads to the session of the thread");
      checkEqual((await stage.ask(gateway, thread)).session, sessionId, "the session of the thread afterwards");
    },
  },
  {
    id: "keys/home",
    proof: "each home channel has the right kind of chat and its own key",
    async play(on) {
      const { homes } = on;
      const { adapter } = await on.gateway();
      const keys = new Set<string>();
      for (const { home, kind, name } of homes) {
        const conversation = await adapter.homeConversation(home);
        checkEqual(conversation.kind, kind, `the kind of ${name}`);
        checkEqual(conversation.platform, adapter.platform, `the platform of ${name}`);
        keys.add(adapter.buildSessionKey(conversation));
      }
      checkEqual(keys.size, homes.length, "how many keys the home channels have");
    },
  },
]);

async function continues(stage: Stage, account: string | undefined): Promise<void> {
  const sessionId = await stage.terminalSession();
  const first = await stage.gateway();
  const place = await stage.handOff(sessionId);
  await goesOn(stage, first, place, sessionId, account);
  await first.end();
  await goesOn(stage, await stage.gateway(), place, sessionId, account);
  checkEqual(await (await stage.terminal()).store.sessions.count(), 1, "how many sessions there are");
}

async function goesOn(
  stage: Stage,
  gateway: LiveGateway,
  place: KitPlace,
  sessionId: string,
  account: string | undefined,
): Promise<void> {
  const { session, inbound } = await stage.ask(gateway, place);
  const [binding] = await gateway.host.store.bindings.of(session);
  check(binding !== undefined, "the session is bound nowhere");
  const key = gateway.adapter.buildSessionKey(onAccount(inbound.conversation, account));
  checkEqual(key, binding.key, "the key of what a person wrote, beside the one that the handoff bound");
  checkEqual(session as string, sessionId, "the session that answered");
  const hasAccount = account === undefined || key.includes(`a=${encodeURIComponent(account)}`);
  check(
    hasAccount,
    () => `the account is missing in the key ${shown(key)} of ${shown(buildSessionKey(inbound.conversation))}`,
  );
}
