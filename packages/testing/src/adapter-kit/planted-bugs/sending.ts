import { PlatformError, platformErrors } from "@hermes/core";
import { asMade, failingWith, type PlantedBug, replacing, startingWith, together, unavailable } from "./planted-bug.ts";
import { askingForToken, TOKEN } from "./platforms-with-tokens.ts";
import { mirroring, refusingLate } from "./richer-platforms.ts";

/** A platform without idempotent sends, so that the fate of a send cannot be found out. */
const forgetful: PlantedBug["plant"] = (adapter, at) => {
  at.capabilities = { ...at.capabilities, idempotentSend: false };
  adapter.findSent = undefined;
};

/** Gives each send a new key. */
const forgettingKeys = replacing("send", (send) => (to, piece, options) => {
  return send(to, piece, { ...options, key: `${Math.random()}` });
});

/** Treats a failed edit as made. */
const takingEditsForMade = replacing("edit", (edit) => (at, messageId, ...rest) => {
  return edit(at, messageId, ...rest).catch(() => ({ messageId, sentAt: 0 }));
});

/** Bugs in sending messages. */
export const sendingBugs: readonly PlantedBug[] = [
  {
    bug: "reports a message whose receipt was lost as one that was not sent",
    caughtBy: ["sending/answer-lost", /although the message may have arrived/],
    plant: together(forgetful, failingWith(unavailable)),
  },
  {
    bug: "takes every failure of the server for a call that was not begun",
    caughtBy: ["sending/failed-behind", /although the message may have arrived/],
    plant: together(forgetful, failingWith(unavailable)),
  },
  {
    bug: "sends again by itself what may have arrived",
    caughtBy: ["sending/answer-lost", /how many messages arrived at drop-answer: 2/],
    plant: together(
      forgetful,
      replacing("send", (send) => async (...args) => {
        return send(...args).catch(() => send(...args));
      }),
    ),
  },
  {
    bug: "lets Hermes' own errors out of `send` before it has sent anything",
    caughtBy: ["sending/store-away", /it never came about that the reply arrives/],
    plant: together(
      forgetful,
      replacing("send", (send, at) => async (...args) => {
        await at.given?.identities.person("1");
        return send(...args);
      }),
    ),
  },
  {
    bug: "takes an edit whose answer was lost for one that was refused",
    caughtBy: ["sending/edit-lost", /although the edit was made/],
    plant: replacing("edit", (edit) => (...args) => {
      return edit(...args).catch((error: unknown) => {
        const isLost = error instanceof PlatformError && error.code === "PLATFORM_UNCERTAIN";
        throw isLost ? platformErrors("loopback").rejected("it did not answer", "Look there.") : error;
      });
    }),
  },
  {
    bug: "takes an edit that was refused for one that was made",
    caughtBy: ["sending/edit-refused", /it never came about that the whole answer is said/],
    plant: takingEditsForMade,
  },
  {
    bug: "throws the errors of its library",
    caughtBy: ["sending/broken-server", /it threw Error/],
    plant: failingWith((error) => new Error(String(error))),
  },
  {
    bug: "takes every refusal for a passing fault",
    caughtBy: ["errors/refused", /muted at send became/],
    plant: failingWith(unavailable),
  },
  {
    bug: "tells how long to wait in seconds",
    caughtBy: ["rate/waited", /the error for 1 ms|rather than 1000 ms/],
    plant: failingWith((error) => {
      if (!(error instanceof PlatformError) || error.retryAfterMs === null) throw error;
      const retryAfterMs = error.retryAfterMs / 1000;
      return new PlatformError("PLATFORM_RATE_LIMITED", { platform: "loopback", seconds: 1 }, { retryAfterMs });
    }),
  },
  {
    bug: "says nothing of a rate limit",
    caughtBy: ["rate/waited", /the reply arrives|it threw/],
    plant: failingWith(unavailable),
  },
  {
    bug: "claims that a key is taken once, and sends it twice",
    caughtBy: ["claims/idempotentSend", /the message id of the second send/],
    plant: forgettingKeys,
  },
  {
    bug: "finds no message by its key",
    caughtBy: ["claims/findSent", /the message that was found/],
    plant: replacing("findSent", () => async () => null),
  },
  {
    bug: "finds some message for every key",
    caughtBy: ["claims/findSent", /under a key that no message has/],
    plant: replacing("findSent", (find, at) => async (to, key, signal) => {
      const [first] = at.messages;
      return (await find(to, key, signal)) ?? (first ? { messageId: first.id, sentAt: at.now() } : null);
    }),
  },
  {
    bug: "sends a new message instead of an edit",
    caughtBy: ["claims/edits", /it reads/],
    plant: (adapter) => {
      const { send } = adapter;
      adapter.edit = (to, _, piece, options) => send.call(adapter, to, piece, { ...options, key: `${Math.random()}` });
    },
  },
  {
    bug: "does not edit at all",
    caughtBy: ["sending/grows", /the answer is whole/],
    plant: replacing("edit", (_, at) => async (_, messageId) => ({ messageId, sentAt: at.now() })),
  },
  {
    bug: "sends what was rate limited again by itself, behind what came after it",
    caughtBy: ["rate/order", /the order of the pieces|it never came about/],
    plant: replacing("send", (send) => (...args) => {
      return send(...args).catch((error: unknown) => {
        if (!(error instanceof PlatformError) || error.retryAfterMs === null) throw error;
        setTimeout(() => void send(...args).catch(() => {}), error.retryAfterMs);
        return { messageId: "later", sentAt: 0 };
      });
    }),
  },
  {
    bug: "says nothing of the rate limit of an edit",
    caughtBy: ["rate/growing", /it was edited while it should rest/],
    plant: takingEditsForMade,
  },
  {
    bug: "sends each message under a key of its own, and finds none by the key it was given",
    caughtBy: ["sending/killed", /how many messages arrived: 2/],
    plant: together(
      forgettingKeys,
      replacing("findSent", () => async () => null),
    ),
  },
  {
    bug: "edits only what the same process has sent",
    caughtBy: ["sending/killed-while-growing", /how many messages it took/],
    plant: (adapter, at) => {
      const sent = new Set<string>();
      replacing("send", (send) => async (...args) => {
        const receipt = await send(...args);
        sent.add(receipt.messageId);
        return receipt;
      })(adapter, at);
      replacing("edit", (edit) => async (to, messageId, ...rest) => {
        const fields = { platform: "loopback", reason: `there is no message ${messageId}`, hint: "Send it anew." };
        if (!sent.has(messageId)) throw new PlatformError("PLATFORM_NOT_FOUND", fields);
        return edit(to, messageId, ...rest);
      })(adapter, at);
    },
  },
  {
    bug: "takes a message that was refused for one that arrived",
    caughtBy: ["refusals/offered", /answer 1 is refused/],
    plant: replacing("send", (send) => (...args) => {
      return send(...args).catch(() => ({ messageId: "none", sentAt: 0 }));
    }),
  },
  {
    bug: "reports a late refusal once, before Hermes knows the message's id",
    caughtBy: ["refusals/late", /the late refusal is kept/],
    on: refusingLate,
    plant: startingWith(({ settle }) => {
      const reported = new Set<string>();
      return {
        async settle(messageId, ...word) {
          if (reported.has(messageId)) return;
          reported.add(messageId);
          await settle(messageId, ...word);
        },
      };
    }),
  },
  {
    bug: "takes everything in a chat for refused when one message is refused late",
    caughtBy: ["refusals/late", /what is kept/],
    on: refusingLate,
    plant: (adapter, at) =>
      startingWith(({ settle }) => ({
        async settle(_, ...word) {
          for (const { id } of at.messages) await settle(id, ...word);
        },
      }))(adapter, at),
  },
  {
    bug: "does not say that its home channel is private",
    caughtBy: ["refusals/told", /it is told/],
    on: mirroring,
    plant: replacing("homeConversation", (home) => async (channel) => ({ ...(await home(channel)), kind: "group" })),
  },
  {
    bug: "is up with credentials that the platform does not take",
    caughtBy: ["errors/wrong-token", /the health says so/],
    on: askingForToken,
    plant: asMade("start"),
  },
  {
    bug: "tells its token when the platform cannot be reached",
    caughtBy: ["errors/unreachable", /a token stands in PLATFORM_UNAVAILABLE/],
    on: askingForToken,
    plant: failingWith(() => unavailable(`GET /bot${TOKEN}/send`)),
  },
];
