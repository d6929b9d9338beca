import { PlatformError } from "../../../base/errors.ts";
import type { PlatformAdapter } from "../../../platform/adapter.ts";
import type { PlantedBug } from "./planted-bug.ts";

type Send = PlatformAdapter["send"];

function sendingBy(spoil: (send: Send) => Send): PlantedBug["plant"] {
  return (adapter) => {
    adapter.send = spoil(adapter.send.bind(adapter));
  };
}

/** A platform that takes the same key twice, so that nothing can be found out about a send. */
function forgetful(adapter: PlatformAdapter, at: Parameters<PlantedBug["plant"]>[1]): void {
  at.capabilities = { ...at.capabilities, idempotentSend: false, findsSent: false };
  adapter.findSent = undefined;
}

/** Mistakes on the way out. */
export const sendingBugs: readonly PlantedBug[] = [
  {
    bug: "reports a message whose receipt was lost as one that was not sent",
    caughtBy: "sending/answer-lost",
    says: /although the message may have arrived/,
    plant: (adapter, at) => {
      forgetful(adapter, at);
      sendingBy((send) => (...args) => {
        return send(...args).catch((error: unknown) => {
          throw new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: String(error) });
        });
      })(adapter, at);
    },
  },
  {
    bug: "sends again by itself what may have arrived",
    caughtBy: "sending/answer-lost",
    says: /how many messages arrived: 2/,
    plant: (adapter, at) => {
      forgetful(adapter, at);
      sendingBy(
        (send) =>
          (...args) =>
            send(...args).catch(() => send(...args)),
      )(adapter, at);
    },
  },
  {
    bug: "takes an edit that was refused for one that was made",
    caughtBy: "sending/edit-refused",
    says: /it never came about that the whole answer is said/,
    plant: (adapter) => {
      const edit = adapter.edit?.bind(adapter);
      adapter.edit = async (at, messageId, ...rest) => {
        const made = { messageId, sentAt: 0 };
        return (await edit?.(at, messageId, ...rest).catch(() => made)) ?? made;
      };
    },
  },
  {
    bug: "throws the errors of its library",
    caughtBy: "sending/broken-server",
    says: /it threw Error/,
    plant: sendingBy((send) => (...args) => {
      return send(...args).catch((error: unknown) => {
        throw new Error(String(error));
      });
    }),
  },
  {
    bug: "takes every refusal for a passing fault",
    caughtBy: "errors/refused",
    says: /muted at send became/,
    plant: sendingBy((send) => (...args) => {
      return send(...args).catch((error: unknown) => {
        throw new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: String(error) });
      });
    }),
  },
  {
    bug: "tells how long to wait in seconds",
    caughtBy: "rate/waited",
    says: /the error for 1 ms|rather than 1000 ms/,
    plant: sendingBy((send) => (...args) => {
      return send(...args).catch((error: unknown) => {
        if (!(error instanceof PlatformError) || error.retryAfterMs === null) throw error;
        const retryAfterMs = error.retryAfterMs / 1000;
        throw new PlatformError("PLATFORM_RATE_LIMITED", { platform: "loopback", seconds: 1 }, { retryAfterMs });
      });
    }),
  },
  {
    bug: "says nothing of a rate limit",
    caughtBy: "rate/waited",
    says: /the reply arrives|it threw/,
    plant: sendingBy((send) => (...args) => {
      return send(...args).catch((error: unknown) => {
        throw new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: String(error) });
      });
    }),
  },
  {
    bug: "claims that a key is taken once, and sends it twice",
    caughtBy: "claims/idempotentSend",
    says: /the message id of the second send/,
    plant: sendingBy((send) => (to, piece, options) => send(to, piece, { ...options, key: `${Math.random()}` })),
  },
  {
    bug: "finds no message by its key",
    caughtBy: "claims/findsSent",
    says: /the message that was found/,
    plant: (adapter) => {
      adapter.findSent = async () => null;
    },
  },
  {
    bug: "finds some message for every key",
    caughtBy: "claims/findsSent",
    says: /under a key that no message has/,
    plant: (adapter, at) => {
      const find = adapter.findSent?.bind(adapter);
      adapter.findSent = async (to, key, signal) => {
        const [first] = at.messages;
        return (await find?.(to, key, signal)) ?? (first ? { messageId: first.id, sentAt: at.now() } : null);
      };
    },
  },
  {
    bug: "sends a new message instead of an edit",
    caughtBy: "claims/edits",
    says: /it reads/,
    plant: (adapter) => {
      const { send } = adapter;
      adapter.edit = (to, _, piece, options) => send.call(adapter, to, piece, { ...options, key: `${Math.random()}` });
    },
  },
  {
    bug: "does not edit at all",
    caughtBy: "sending/grows",
    says: /the answer is whole/,
    plant: (adapter, at) => {
      adapter.edit = async (_, messageId) => ({ messageId, sentAt: at.now() });
    },
  },
  {
    bug: "cuts a text by its length alone",
    caughtBy: "length/emoji-of-several-code-points",
    says: /a surrogate pair was cut/,
    plant: (adapter) => {
      adapter.render = ({ markdown }) => {
        const pieces: { text: string }[] = [];
        for (let at = 0; at < markdown.length; at += 4_095) pieces.push({ text: markdown.slice(at, at + 4_095) });
        return pieces;
      };
    },
  },
  {
    bug: "sends pieces that are too long",
    caughtBy: "length/a-long-list",
    says: /a text beyond the limit is one message/,
    plant: (adapter) => {
      adapter.render = ({ markdown }) => [{ text: markdown }];
    },
  },
  {
    bug: "leaves a part of a text out",
    caughtBy: "length/a-long-list",
    says: /where w7 should/,
    plant: (adapter) => {
      const render = adapter.render.bind(adapter);
      adapter.render = (message, root) => render({ ...message, markdown: message.markdown.replace("w7 ", "") }, root);
    },
  },
  {
    bug: "looks from each bracket to the end of the text",
    caughtBy: "length/hostile",
    says: /at twice the length/,
    plant: (adapter) => {
      const render = adapter.render.bind(adapter);
      adapter.render = (message, root) => {
        const { markdown } = message;
        for (let at = 0; at < markdown.length; at++) {
          if (markdown[at] !== "[") continue;
          for (let end = at; end < markdown.length && markdown[end] !== ")"; ) end++;
        }
        return render(message, root);
      };
    },
  },
  {
    bug: "renders the same message in another way each time",
    caughtBy: "length/pure",
    says: /the pieces of a second rendering/,
    plant: (adapter) => {
      let times = 0;
      const render = adapter.render.bind(adapter);
      adapter.render = (message, root) =>
        render(message, root).map((piece) => ({ ...piece, extra: { times: ++times } }));
    },
  },
];
