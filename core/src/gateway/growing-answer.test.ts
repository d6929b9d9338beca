import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLogger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import { openStore } from "../host/open-store.ts";
import type { PlatformAdapter } from "../platform/adapter.ts";
import { buildSessionKey } from "../platform/session-key.ts";
import { OPERATOR } from "../session/session.ts";
import { LoopbackPlatform } from "../testing/loopback-platform.ts";
import { createVirtualClock } from "../testing/virtual-clock.ts";
import { Delivery } from "./delivery.ts";
import { GrowingAnswer } from "./growing-answer.ts";

test("an answer whose turn another process took over does not grow any more", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-growing-"));
  const clock = createVirtualClock();
  const store = await openStore(folder, { clock, probe: { fate: () => "alive" } });
  const platform = new LoopbackPlatform();
  const make = (await platform.plugin().load()) as () => PlatformAdapter;
  const holder: Holder = { id: "prc_1", host: "here", pid: 1, pidStart: "1", role: "gateway" };
  const parts = { store, clock, logger: silentLogger, adapter: make() };
  const delivery = new Delivery({
    ...parts,
    holder,
    platform: "loopback",
    account: undefined,
    home: () => null,
    redact: (text) => text,
  });
  try {
    const conversation = { platform: "loopback", chatId: "home", kind: "dm" } as const;
    const key = buildSessionKey(conversation);
    const session = await store.sessions.create({ user: OPERATOR, origin: key, originChat: key });
    const start = (by: Holder) =>
      store.turns.startTurn({
        sessionId: session.id,
        holder: by,
        cause: { kind: "terminal" },
        surface: key,
        leaseMs: 15_000,
        message: { role: "user", text: "Hello" },
      });
    const started = await start(holder);
    if (!started.ok) throw new Error(started.reason);

    const growing = new GrowingAnswer({ ...parts, delivery }, { key, conversation }, started.turn);
    growing.push("One");
    await clock.advance(1_000);
    growing.push(", two");
    await clock.advance(1_000);
    expect(platform.textsIn("home")).toEqual(["One, two"]);

    // This process sleeps, and wakes when its lease is over and another has the session.
    await clock.advance(15_000);
    expect((await start({ ...holder, id: "prc_2", pid: 2 })).ok).toBe(true);
    growing.push(", three");
    await clock.advance(1_000);
    await growing.close();
    expect(platform.textsIn("home")).toEqual(["One, two"]);
  } finally {
    await delivery[Symbol.asyncDispose]();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
