import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { definePlugin, type PeopleAt, systemClock } from "@hermes/core";
import { openGateway, type ScriptedModel, scriptedModel, type TestGateway } from "@hermes/testing";
import { WebAdapter } from "../src/adapter.ts";
import { openLink } from "../src/cli.ts";
import { webOptions } from "../src/config.ts";
import { OWNER } from "../src/source.ts";
import type { Served } from "./open-pages.ts";

/** A page that a gateway of its own serves, with a scripted model behind it. */
export interface WebWithGateway extends Served, Pick<TestGateway, "host" | "terminal"> {
  readonly model: ScriptedModel;
  /** A session of the terminal in which something was asked and answered. */
  begun(title: string, ...asked: readonly string[]): Promise<string>;
}

/** A page in whose home channel somebody else is, too: its person is not the operator then. */
class SharedPage extends WebAdapter {
  override async peopleAt(): Promise<PeopleAt> {
    return { ids: [OWNER.id, "somebody-else"], isFixed: false };
  }
}

const KNOWN = { "scripted/model": { window: 1_000, prices: { input: 2_000, output: 4_000 } } };

/** `isOperator`: whether the person at the page is the operator, as usual; else they may only talk to the agent. */
export async function startWebWithGateway({ isOperator = true } = {}): Promise<WebWithGateway> {
  const model = scriptedModel([], { otherwise: () => "An answer." });
  let made: WebAdapter | null = null;
  const descriptor = definePlugin({
    package: "@hermes/plugin-web",
    platform: "web",
    apiVersion: 2,
    schema: webOptions,
    create: async (deps) => {
      made = isOperator ? new WebAdapter(deps) : new SharedPage(deps);
      return made;
    },
  })({ port: 0, allowedUsers: [OWNER.id], ...(!isOperator && { homeChannel: { chatId: "home", shared: true } }) });
  const gateway = await openGateway(descriptor, { agent: model, known: KNOWN });
  const adapter = (): WebAdapter => {
    if (made === null) throw new Error("the page is not served");
    return made;
  };
  const baseUrl = adapter().baseUrl ?? "";
  const folder = join(gateway.folder, "plugins", "web");
  const ids = { next: (prefix: string) => `${prefix}_${randomUUID()}` };
  return {
    model,
    baseUrl,
    host: gateway.host,
    terminal: () => gateway.terminal(),
    get adapter() {
      return adapter();
    },
    async link(path = "/") {
      return (await openLink(baseUrl + path, { folder, clock: systemClock, ids, print() {} })).url;
    },
    async begun(title, ...asked) {
      const { store, runner } = gateway.host;
      const { id } = await store.sessions.create({
        ...{ title, user: "operator" as never, origin: "terminal", originChat: null },
      });
      for (const text of asked) {
        const message = { role: "user", text } as const;
        await runner.run({ sessionId: id, cause: { kind: "terminal" }, surface: "terminal", message, tools: false });
      }
      return id;
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}
