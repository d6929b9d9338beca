import { createVirtualClock, gate, pluginDeps } from "@hermes/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { PLAIN_TEXT_ONLY } from "../adapter/capabilities.ts";
import type { Conversation } from "../adapter/conversation.ts";
import type { InboundMessage, Piece, SendReceipt } from "../adapter/message.ts";
import { platformErrors } from "../adapter/platform-errors.ts";
import { type AdapterContext, ConnectedAdapter } from "./connected-adapter.ts";

const { unauthorised } = platformErrors("pager");
const AT: Conversation = { platform: "pager", chatId: "1", kind: "dm" };

class PagerAdapter extends ConnectedAdapter<{ send(): string }> {
  override readonly platform = "pager";
  override readonly capabilities = PLAIN_TEXT_ONLY;
  onConnect: (context: AdapterContext) => Promise<void> = async () => {};
  context: AdapterContext | null = null;
  protected override async connect(context: AdapterContext) {
    this.context = context;
    await this.onConnect(context);
    return { send: () => "m-1" };
  }
  override render(): Piece[] {
    return [];
  }
  override async send(): Promise<SendReceipt> {
    return { messageId: this.connection.send(), sentAt: 0 };
  }
  override async homeConversation(): Promise<Conversation> {
    return AT;
  }
}

let adapter: PagerAdapter;
let failures: unknown[];
let undone: string[];
let leaving: AbortController;
beforeEach(() => {
  adapter = new PagerAdapter(pluginDeps({ options: {}, clock: createVirtualClock(), folder: "" }));
  failures = [];
  undone = [];
  leaving = new AbortController();
});

function start(): Promise<void> {
  const events = {
    receive: async () => {},
    settle: async () => {},
    choose: async () => {},
    retracted: async () => {},
    moved: async () => {},
    fail: (error: unknown) => void failures.push(error),
  };
  return adapter.start(events, leaving.signal);
}

const noting =
  (...names: string[]) =>
  async ({ onStop }: AdapterContext) => {
    for (const name of names) onStop(() => void undone.push(name));
  };

describe("ConnectedAdapter", () => {
  it("a call before the start or after the stop fails as not connected", async () => {
    const sent = async () => (await adapter.send()).messageId;
    const refusal = { code: "PLATFORM_UNAVAILABLE", message: "pager cannot be reached: it is not connected." };
    await expect(sent()).rejects.toMatchObject(refusal);
    expect(adapter.health()).toEqual({ state: "starting" });
    await start();
    expect(await sent()).toBe("m-1");
    expect(adapter.health()).toEqual({ state: "up" });
    await adapter.stop();
    await expect(sent()).rejects.toMatchObject(refusal);
    expect(adapter.health().state).toBe("down");
  });

  it("undoes the last first, once, however often it is stopped", async () => {
    adapter.onConnect = noting("first", "second");
    await start();
    await Promise.all([adapter.stop(), adapter.stop()]);
    expect(undone).toEqual(["second", "first"]);
  });

  it("undoes the rest though one step throws", async () => {
    adapter.onConnect = async (context) => {
      await noting("first")(context);
      context.onStop(() => Promise.reject(new Error("the socket is gone")));
    };
    await start();
    await adapter.stop();
    expect(undone).toEqual(["first"]);
  });

  it("undoes what a connection left that did not come about, and says why", async () => {
    adapter.onConnect = async (context) => {
      await noting("the socket")(context);
      throw unauthorised();
    };
    await expect(start()).rejects.toMatchObject({ code: "PLATFORM_UNAUTHORISED" });
    expect(undone).toEqual(["the socket"]);
    expect(adapter.health()).toMatchObject({ state: "down", detail: expect.stringContaining("credentials") });
  });

  it("comes to no connection when it is stopped while it connects", async () => {
    const connecting = gate();
    adapter.onConnect = async (context) => {
      await connecting.pass();
      await noting("late")(context);
    };
    const started = start();
    await connecting.reached;
    const stopped = adapter.stop();
    connecting.open();
    await expect(started).rejects.toThrow();
    await stopped;
    expect(undone).toEqual(["late"]);
    await expect(adapter.send()).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  });

  it("asks its host for a restart, and not any more when it is stopped", async () => {
    await start();
    adapter.context?.fail(unauthorised());
    expect(failures).toMatchObject([{ code: "PLATFORM_UNAUTHORISED" }]);
    leaving.abort();
    await adapter.stop();
    adapter.context?.fail(unauthorised());
    expect(failures).toHaveLength(1);
  });

  it("ends what it receives when it is stopped", async () => {
    const ended = gate();
    adapter.onConnect = ({ keepReceiving }) =>
      keepReceiving(async ({ signal, received }) => {
        received();
        await new Promise((done) => signal.addEventListener("abort", done));
        await ended.pass();
      });
    await start();
    const stopped = adapter.stop();
    await ended.reached;
    ended.open();
    await stopped;
    expect(adapter.health().state).toBe("down");
  });
});

it("the events that an adapter is started with may be an object of a class", async () => {
  class Events {
    readonly #heard: string[] = [];
    async receive(message: InboundMessage) {
      this.#heard.push(message.text);
    }
    async settle() {}
    async choose() {}
    async retracted() {}
    async moved() {}
    fail() {}
    get heard() {
      return this.#heard;
    }
  }
  const events = new Events();
  await adapter.start(events, leaving.signal);
  await adapter.context?.receive({
    conversation: AT,
    sender: { id: "7" },
    messageId: "1",
    text: "Hello",
    sentAt: 0,
    isAddressed: true,
  });
  expect(events.heard).toEqual(["Hello"]);
});
