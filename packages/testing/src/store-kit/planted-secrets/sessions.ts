import { EVERY_SESSION, OPERATOR, type Store, type UserId } from "@hermes/core/embed";
import { compactionOf } from "../compactions.ts";
import { SAID, type SecretRows } from "../secret-rows.ts";
import { usedBy } from "../usage.ts";
import type { Plants } from "./plants.ts";

/** Passes secrets to the calls about sessions and what is read of them. */
export function sessionPlants(
  rows: SecretRows,
  store: Store,
): Plants<"sessions" | "transcripts" | "compactions" | "views" | "files" | "usage" | "overview"> {
  const { named, place, holder, session, entry, calls, inTurn, bind, view, work } = rows;
  return {
    sessions: {
      create: session,
      fork: async () => store.sessions.fork({ sessionId: await session(), upTo: null, user: OPERATOR }),
      setTitle: async () => store.sessions.setTitle(await session(), `named ${SAID}`),
      setMode: async () => store.sessions.setMode(await session(), "plan"),
      setModel: async () => store.sessions.setModel(await session(), named("model")),
      delete: async () => {
        const { sessionId } = await bind(place());
        return store.sessions.delete(sessionId, entry(place()).message);
      },
      get: async () => store.sessions.get(await session()),
      keptState: async () => store.sessions.keptState(await session()),
      list: () => store.sessions.list({ visible: EVERY_SESSION, limit: 5 }),
      find: () => store.sessions.find(SAID, EVERY_SESSION),
      count: () => store.sessions.count(),
    },
    transcripts: {
      read: async () => store.transcripts.read(await session()),
      search: () => store.transcripts.search({ text: SAID, visible: EVERY_SESSION, limit: 5 }),
    },
    compactions: {
      add: inTurn(async (turnId, fence, sessionId) => {
        await store.compactions.add(turnId, fence, {
          ...compactionOf(1),
          summary: SAID,
          facts: {
            ...{ requests: [1], todo: [{ text: SAID, state: "open" }], openQuestions: [SAID], denials: [SAID] },
            ...{ firstRequest: SAID, files: [SAID], said: 1, calls: 1 },
          },
          work: work(),
        });
        return store.compactions.latest(sessionId);
      }),
      latest: async () => store.compactions.latest(await session()),
      list: async () => store.compactions.list(await session(), 5),
    },
    views: {
      keep: async () => view(await session()),
      close: () => store.views.close(holder()),
      of: async () => store.views.of(await session()),
    },
    files: {
      named: () => store.files.named([named("hash")]),
    },
    usage: {
      lastOf: inTurn(async (turnId, fence, sessionId) => {
        await store.turns.append(turnId, fence, [calls], [usedBy(named("model"), named("user") as UserId)]);
        return store.usage.lastOf(sessionId);
      }),
      sum: () => store.usage.sum({ person: named("user") as UserId }),
      raised: () => store.usage.raised(named("subject")),
      raise: () => store.usage.raise({ subject: named("subject"), cost: 1, tokens: 1 }, named("once")),
      groups: () => store.usage.groups("model", { limit: 5 }),
    },
    overview: {
      lanes: () => store.overview.lanes({ limit: 5 }),
      leases: () => store.overview.leases(),
    },
  };
}
