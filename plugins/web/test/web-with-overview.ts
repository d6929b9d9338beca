import { buildSessionKey, type HomeChannel } from "@hermes/core";
import { createVirtualClock, openOverview, type TestOverview, type VirtualClock } from "@hermes/testing";
import { OWNER } from "../src/source.ts";
import { HOME } from "./open-pages.ts";
import { type RunningWeb, startWeb } from "./running-web.ts";

/** A page with an overview on a real store, whose person is the operator unless a test says otherwise. */
export interface WebWithOverview extends RunningWeb {
  readonly hermes: TestOverview;
  readonly clock: VirtualClock;
  /** A message to a platform that was refused. */
  refused(text: string, sessionId?: string): Promise<string>;
}

export const PAGER = { platform: "pager", chatId: "7", kind: "dm" } as const;
export const PAGER_KEY = buildSessionKey(PAGER);
const HOME_CHANNEL: HomeChannel = { chatId: HOME.chatId };

export async function startWebWithOverview(config: Record<string, unknown> = {}): Promise<WebWithOverview> {
  // The page compares times with the browser's clock.
  const clock = createVirtualClock(Date.now());
  const hermes = await openOverview("web", { clock });
  await hermes.store.homePeople.see({
    ...{ platform: "web", account: undefined, home: HOME_CHANNEL.chatId, chat: buildSessionKey(HOME), name: "Home" },
    ...{ isPrivate: true, present: [OWNER.id], isFixed: true },
  });
  await beOperator(hermes);
  const web = await startWeb(config, { overview: hermes.overview, clock });
  const end = web[Symbol.asyncDispose].bind(web);
  return Object.defineProperties(web, {
    hermes: { value: hermes },
    refused: {
      async value(text: string, sessionId?: string) {
        const message = { kind: "answer", markdown: text } as const;
        const of = sessionId === undefined ? {} : { sessionId: sessionId as never };
        const [row] = await hermes.store.outbox.enqueue([{ key: PAGER_KEY, conversation: PAGER, message, ...of }]);
        if (row === undefined) throw new Error("nothing was queued");
        const error = { code: "PLATFORM_FORBIDDEN", text: "Pager does not permit it: you are blocked." } as const;
        await hermes.store.outbox.settleSend(row.id, { kind: "failed", error });
        return row.id;
      },
    },
    [Symbol.asyncDispose]: {
      async value() {
        await end();
        await hermes[Symbol.asyncDispose]();
      },
    },
  }) as WebWithOverview;
}

/** The person at the page is the operator: its home channel is theirs. */
export async function beOperator(hermes: TestOverview): Promise<void> {
  await hermes.grant({ home: { chatId: HOME_CHANNEL.chatId, chat: buildSessionKey(HOME) } });
}

/** They may only talk to the agent from now on. */
export async function beMember(hermes: TestOverview): Promise<void> {
  await hermes.grant({ allowedUsers: [OWNER.id] });
}
