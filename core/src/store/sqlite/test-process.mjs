// Another process on the same store, for the tests beside this file: node test-process.mjs <task> <file>.
// It says what it did on its standard output, a line each, and ends when its standard input does.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../../base/process-identity.ts";
import { openSqliteStore } from "./index.ts";

const [, , task, file] = process.argv;
const holder = thisProcess("other", "gateway");
const say = (line) => writeSync(1, `${line}\n`);
const parts = { clock: systemClock, ids: randomIds, probe: systemProcessProbe };
// A flush to disk stands between the write and its being seen by others.
const store = await openSqliteStore({ file, ...parts, durability: task === "write" ? "full" : "normal" });
const newSession = () => store.sessions.create({ user: "operator", origin: "terminal", originChat: null });

const tasks = {
  async open() {
    say((await newSession()).id);
  },

  /** Appends without end, with what each message used, and acknowledges each message once it is stored. */
  async append() {
    const { id } = await newSession();
    const { turn, fence } = await store.turns.startTurn({
      sessionId: id,
      holder,
      cause: { kind: "terminal" },
      surface: "terminal",
      leaseMs: 15_000,
      message: { role: "user", text: "count" },
    });
    say(id);
    const tokens = { input: 10, cacheRead: 0, cacheWrite: 0, output: 1, isEstimated: false };
    const usage = [{ kind: "message", model: "acme/fast", person: "operator", cost: 7, ...tokens }];
    for (;;) {
      const said = [{ role: "assistant", text: "x".repeat(2000) }];
      const [message] = await store.turns.append(turn.id, fence, said, usage);
      say(message.seq);
      await new Promise(setImmediate);
    }
  },

  /** Takes the file's lock and keeps it until a line comes in. */
  async hold(line) {
    await store.gateways.heartbeat({ id: "other", holder, startedAt: 0, configPath: null, platforms: [] });
    const database = new Database(file);
    database.exec("BEGIN IMMEDIATE");
    say(process.pid);
    await line();
    database.exec("ROLLBACK");
    say("free");
  },

  /** Writes when a line comes in. */
  async write(line) {
    say("ready");
    await line();
    await newSession();
  },
};

const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit());
await tasks[task](() => new Promise((resolve) => lines.once("line", resolve)));
