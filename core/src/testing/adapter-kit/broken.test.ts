import { expect, it, vi } from "vitest";
import type { AdapterEvents, PlatformAdapter } from "../../platform/adapter.ts";
import type { Conversation } from "../../platform/conversation.ts";
import { buildSessionKey } from "../../platform/session-key.ts";
import type { AdapterSource, PluginDeps, PluginDescriptor } from "../../plugin/descriptor.ts";
import { proveAdapter } from "../adapter-kit.ts";
import { startLoopbackEmulator } from "../loopback-emulator.ts";
import type { LoopbackPlatform } from "../loopback-platform.ts";
import { loopbackUnderTest } from "./loopback-under-test.ts";
import { printFindings, publishFindings } from "./report.ts";
import type { AdapterUnderTest } from "./subject.ts";

// Each of these waits for something that never comes.
vi.setConfig({ testTimeout: 30_000 });

/** The loopback adapter with something broken in it. */
function broken(spoil: (adapter: PlatformAdapter, at: LoopbackPlatform) => void): AdapterUnderTest {
  const sound = loopbackUnderTest(() => startLoopbackEmulator());
  return {
    ...sound,
    // Quick to give up: what is broken never comes about.
    patienceMs: 1_500,
    descriptor(emulator: ReturnType<typeof startLoopbackEmulator>, options): PluginDescriptor {
      const descriptor = sound.descriptor(emulator, options);
      const load = async (): Promise<AdapterSource> => {
        const make = (await descriptor.load()) as (deps: PluginDeps) => PlatformAdapter;
        return (deps) => {
          const adapter = make(deps);
          spoil(adapter, emulator.loopback);
          return adapter;
        };
      };
      return { ...descriptor, load };
    },
  } as AdapterUnderTest;
}

async function resultOf(id: string, spoil: Parameters<typeof broken>[0]): Promise<string> {
  const [finding] = await proveAdapter(broken(spoil), [id]);
  return `${finding?.result}: ${finding?.detail ?? ""}`;
}

const without = ({ threadId: _, ...at }: Conversation): Conversation => at;

it("an adapter whose threads have the key of their chat fails", async () => {
  const spoil = (adapter: PlatformAdapter) => {
    adapter.buildSessionKey = (at) => buildSessionKey(without(at));
  };
  expect(await resultOf("keys/chat-beside-thread", spoil)).toMatch(/^failed: .*the session of the thread/);
});

it("an adapter that reports what is written in a thread under the chat fails", async () => {
  const spoil = (adapter: PlatformAdapter) => {
    const start = adapter.start.bind(adapter);
    adapter.start = (events, signal) => {
      const receive: AdapterEvents["receive"] = (message) =>
        events.receive({ ...message, conversation: without(message.conversation) });
      return start({ ...events, receive }, signal);
    };
  };
  expect(await resultOf("keys/continues", spoil)).toMatch(/^failed: /);
});

it("an adapter that acknowledges before a message is kept fails", async () => {
  const spoil = (adapter: PlatformAdapter) => {
    const start = adapter.start.bind(adapter);
    adapter.start = (events, signal) => {
      const receive = async (message: Parameters<AdapterEvents["receive"]>[0]) => {
        void events.receive(message).catch(() => {});
      };
      return start({ ...events, receive }, signal);
    };
  };
  expect(await resultOf("durable/held", spoil)).toMatch(/^failed: it never came about that "Kept after all\." is said/);
  expect(await resultOf("durable/refused", spoil)).toMatch(/^failed: /);
});

it("an adapter that leaves a history unread fails", async () => {
  const spoil = (_: PlatformAdapter, at: LoopbackPlatform) => {
    at.history = null;
  };
  expect(await resultOf("history/away", spoil)).toMatch(/^failed: it never came about that "To the first\." is said/);
  expect(await resultOf("history/killed", spoil)).toMatch(/^failed: it never came about/);
});

it("an adapter that takes a missed message for kept before it is fails", async () => {
  const spoil = (adapter: PlatformAdapter) => {
    const start = adapter.start.bind(adapter);
    adapter.start = (events, signal) => {
      const receive = async (message: Parameters<AdapterEvents["receive"]>[0]) => {
        void events.receive(message).catch(() => {});
      };
      return start({ ...events, receive }, signal);
    };
  };
  expect(await resultOf("history/killed", spoil)).toMatch(/^failed: it never came about/);
});

it("an adapter that takes a history for new at its first start fails", async () => {
  const spoil = (adapter: PlatformAdapter, at: LoopbackPlatform) => {
    const start = adapter.start.bind(adapter);
    adapter.start = async (events, signal) => {
      await start(events, signal);
      for (const message of at.history ?? []) void events.receive(message);
    };
  };
  expect(await resultOf("history/first-start", spoil)).toMatch(/^failed: .*"old/);
});

it("an adapter that makes a new id of a message that comes again fails", async () => {
  let ids = 0;
  const spoil = (adapter: PlatformAdapter) => {
    const start = adapter.start.bind(adapter);
    adapter.start = (events, signal) => {
      const receive: AdapterEvents["receive"] = (message) =>
        events.receive({ ...message, messageId: `own-${++ids}`, isEdit: false });
      return start({ ...events, receive }, signal);
    };
  };
  expect(await resultOf("once/redelivered", spoil)).toMatch(/^failed: how many further answers there are: 1/);
  expect(await resultOf("once/edited", spoil)).toMatch(/^failed: how many turns ran: 2 rather than 1/);
});

it("an adapter that takes another bot for a person fails", async () => {
  const spoil = (adapter: PlatformAdapter) => {
    const start = adapter.start.bind(adapter);
    adapter.start = (events, signal) => {
      const receive: AdapterEvents["receive"] = ({ sender, ...message }) =>
        events.receive({ ...message, sender: { ...sender, isBot: false } });
      return start({ ...events, receive }, signal);
    };
  };
  expect(await resultOf("senders/bots", spoil)).toMatch(/^failed: how many turns ran: 1/);
});

it("an adapter that cuts by length alone fails", async () => {
  const spoil = (adapter: PlatformAdapter) => {
    adapter.render = ({ markdown }) => {
      const pieces: { text: string }[] = [];
      for (let at = 0; at < markdown.length; at += 4_095) pieces.push({ text: markdown.slice(at, at + 4_095) });
      return pieces;
    };
  };
  expect(await resultOf("length/emoji-of-several-code-points", spoil)).toMatch(/^failed: a surrogate pair was cut/);
});

it("an adapter that sends pieces that are too long, or leaves a part out, fails", async () => {
  const tooLong = (adapter: PlatformAdapter) => {
    adapter.render = ({ markdown }) => [{ text: markdown }];
  };
  expect(await resultOf("length/a-long-list", tooLong)).toMatch(/^failed: it never came about/);
  const shortened = (adapter: PlatformAdapter) => {
    const render = adapter.render.bind(adapter);
    adapter.render = (message, root) => render({ ...message, markdown: message.markdown.replace("w7 ", "") }, root);
  };
  expect(await resultOf("length/a-long-list", shortened)).toMatch(/^failed: .*where w7 should/);
});

it("an adapter that claims what it has not, or has what it does not claim, fails", async () => {
  const claims = (adapter: PlatformAdapter, at: LoopbackPlatform) => {
    at.capabilities = { ...at.capabilities, typing: true, idempotentSend: false };
    Object.defineProperty(adapter, "capabilities", { get: () => ({ ...at.capabilities, idempotentSend: true }) });
  };
  expect(await resultOf("claims/typing", claims)).toBe("failed: there is no `typing`");
  const twice = (adapter: PlatformAdapter) => {
    const send = adapter.send.bind(adapter);
    adapter.send = (to, piece, options) => send(to, piece, { ...options, key: `${Math.random()}` });
  };
  expect(await resultOf("claims/idempotentSend", twice)).toMatch(/^failed: the message id of the second send/);
  const unclaimed = (adapter: PlatformAdapter) => {
    adapter.typing = async () => {};
  };
  expect(await resultOf("claims/typing", unclaimed)).toBe(
    'failed: what `typing` is: "function" rather than "undefined"',
  );
});

it("an adapter that leaves something behind when a thread fails is caught", async () => {
  const spoil = (adapter: PlatformAdapter, at: LoopbackPlatform) => {
    const create = adapter.createHandoffThread.bind(adapter);
    adapter.createHandoffThread = async (chatId, name, options) => {
      at.messages.push({ id: at.newId("m"), chatId, threadId: undefined, key: "root", text: name });
      return create(chatId, name, options);
    };
  };
  expect(await resultOf("threads/fails-clean", spoil)).toMatch(/^failed: .*what is on the platform after/);
});

it("an adapter whose thread nobody sees fails", async () => {
  const spoil = (adapter: PlatformAdapter, at: LoopbackPlatform) => {
    const create = adapter.createHandoffThread.bind(adapter);
    adapter.createHandoffThread = async (chatId, name, options) => {
      const thread = await create(chatId, name, options);
      at.threads.push({ ...at.threads.pop(), isVisible: false } as (typeof at.threads)[number]);
      return thread;
    };
  };
  expect(await resultOf("threads/visible", spoil)).toMatch(/^failed: .*whether the thread is seen/);
});

it("an adapter that throws strange errors, or is healthy while it is deaf, fails", async () => {
  const strange = (adapter: PlatformAdapter) => {
    const send = adapter.send.bind(adapter);
    adapter.send = (...args) =>
      send(...args).catch((error: unknown) => {
        throw new Error(String(error));
      });
  };
  expect(await resultOf("sending/broken-server", strange)).toMatch(/^failed: it threw Error/);
  expect(await resultOf("errors/refused", strange)).toMatch(/^failed: muted at send threw Error/);
  const healthy = (adapter: PlatformAdapter) => {
    adapter.health = () => ({ state: "up" });
  };
  expect(await resultOf("living/health", healthy)).toBe("failed: it never came about that the health says so");
});

it("what does not apply is in the report with its reason, and proofs of the adapter's own are run", async () => {
  const subject: AdapterUnderTest = {
    ...broken(() => {}),
    notClaimed: { "once/edited": "Nobody edits there." },
    extras: [{ id: "own/proof", rule: "its own", proof: "one | two", run: async () => {} }],
  };
  const findings = await proveAdapter(subject, ["once/edited", "own/proof"]);
  expect(findings.map(({ id, result, detail }) => ({ id, result, detail }))).toEqual([
    { id: "once/edited", result: "not claimed", detail: "Nobody edits there." },
    { id: "own/proof", result: "passed", detail: undefined },
  ]);
  expect(printFindings(findings, "table")).toContain("| loopback | its own | one \\| two | passed |  |");
  const lines = printFindings(findings, "json").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(findings);
  expect(() => publishFindings(findings, {})).not.toThrow();
});
