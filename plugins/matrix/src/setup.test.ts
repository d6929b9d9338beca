import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Examination } from "@hermes/core";
import { setupContext } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADA, BOT, type MatrixEmulator, ROOMS, startMatrixEmulator } from "../emulator/index.ts";
import { startMatrix } from "../test/running-matrix.ts";
import { matrixOptions } from "./config.ts";
import { setup } from "./setup.ts";
import { BotStore } from "./store/bot-store.ts";

let emulator: MatrixEmulator;
beforeEach(async () => {
  emulator = await startMatrixEmulator();
});
afterEach(() => emulator.close());

function examine(config: Record<string, unknown> = {}, folder?: string): Promise<Examination> {
  const context = setupContext(folder === undefined ? {} : { folder });
  return setup.examine(matrixOptions.parse({ ...emulator.options, ...config }), context);
}

function byPassword(password: string = BOT.password) {
  return { accessToken: undefined, user: BOT.userId, password };
}

async function findingsOf(chatId: string, more: Record<string, unknown> = {}) {
  return (await examine({ homeChannel: { chatId, ...more }, operators: [ADA] })).findings;
}

const found = (state: string) => (message: RegExp, hint: RegExp) => ({
  state,
  message: expect.stringMatching(message),
  hint: expect.stringMatching(hint),
});
const problem = found("problem");
const warning = found("warning");

describe("the session", () => {
  it("a token names the bot and the page on which one writes to it", async () => {
    const { account, findings } = await examine();
    const link = "https://matrix.to/#/%40hermes%3Aemulated.test";
    expect(account).toEqual({ id: BOT.userId, name: BOT.userId, link });
    expect(findings.map(({ state }) => state)).toEqual(["ok"]);
  });

  it("a wrong token is a problem that is not repeated", async () => {
    const { account, findings } = await examine({ accessToken: "syt_nobody_ever_had_this" });
    expect(account).toBeNull();
    expect(findings).toEqual([problem(/does not accept the access token/, /Log in anew/)]);
    expect(JSON.stringify(findings)).not.toContain("nobody_ever");
  });

  it("a password is proved by a login that leaves no session behind", async () => {
    const before = [...emulator.server.sessions.keys()];
    const { account, findings } = await examine(byPassword());
    expect(account?.id).toBe(BOT.userId);
    expect(findings.map(({ state }) => state)).toEqual(["ok"]);
    expect([...emulator.server.sessions.keys()]).toEqual(before);
  });

  it("a wrong password is a problem that is not repeated", async () => {
    const { findings } = await examine(byPassword("a wrong one of nobody"));
    expect(findings).toEqual([problem(/does not accept the name and the password/, /whole id/)]);
    expect(JSON.stringify(findings)).not.toContain("wrong one");
  });

  it("the session that a gateway has kept is asked for rather than a login", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-matrix-"));
    try {
      const store = new BotStore(folder);
      const { userId, deviceId, token } = emulator.server.signIn(BOT.userId, "KEPT");
      store.saveSession({ user: BOT.userId, userId, deviceId, accessToken: token });
      const { account } = await examine(byPassword(), folder);
      expect(account?.id).toBe(BOT.userId);
      expect(emulator.log.map(({ method }) => method)).not.toContain("login");
      // The store goes on: nobody has taken it over.
      expect(() => store.commit("s1", new Map())).not.toThrow();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("a token that is taken no more is a warning where there is a password", async () => {
    emulator.expireBotToken();
    const { account, findings } = await examine({ user: BOT.userId, password: BOT.password });
    expect(account?.id).toBe(BOT.userId);
    expect(findings[0]).toEqual(warning(/accepts the access token no more/, /Log in anew/));
  });

  it("keys that another program holds are a warning", async () => {
    emulator.server.keys.upload(BOT.userId, "HERMESGATEWAY", {
      device_keys: {
        ...{ user_id: BOT.userId, device_id: "HERMESGATEWAY", algorithms: [] },
        keys: { "ed25519:HERMESGATEWAY": "another" },
      },
    });
    expect((await examine()).findings[0]).toEqual(warning(/keys of the session are not here/, /Log in anew/));
    const closed = problem(/encrypted, and the bot's session has no keys/, /session of its own/);
    expect((await findingsOf(ROOMS.encryptedDirect))[0]).toEqual(closed);
  });
});

describe("the homeserver", () => {
  it("a homeserver that cannot be reached is a problem", async () => {
    const { findings } = await examine({ homeserverUrl: "http://127.0.0.1:1" });
    expect(findings).toEqual([problem(/cannot be reached/, /network/)]);
    expect(JSON.stringify(findings)).not.toContain("syt_");
  });

  it.each([
    ["names the homeserver", true, /is not the homeserver itself: that is at 127/, /homeserverUrl` to http/],
    ["is none", false, /is no homeserver|cannot be reached/, /homeserverUrl|network/],
  ] as const)("an address that %s is a problem", async (_, isKnown, message, hint) => {
    const base = { "m.homeserver": { base_url: `${emulator.url}/` } };
    const server = createServer(({ url }, response) => {
      const isAsked = isKnown && url === "/.well-known/matrix/client";
      response.writeHead(isAsked ? 200 : 404).end(JSON.stringify(isAsked ? base : {}));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const homeserverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await examine({ homeserverUrl })).findings).toEqual([problem(message, hint)]);
    server.close();
  });

  it("a check whose time is over ends with a problem", async () => {
    emulator.fail({ operation: "whoami", kind: { is: "hang" } });
    const context = setupContext({ signal: AbortSignal.timeout(100) });
    const { findings } = await setup.examine(matrixOptions.parse(emulator.options), context);
    expect(findings).toEqual([problem(/it took too long/, /network/)]);
  });
});

describe("the home channel", () => {
  it.each([
    ["a direct chat", ROOMS.direct, {}, /direct chat with @ada/],
    ["an encrypted one", ROOMS.encryptedDirect, {}, /it is encrypted/],
    ["a room", ROOMS.group, { shared: true }, /“A group”: the bot may write there, and it is not encrypted/],
  ])("finds %s in order", async (_, chatId, more, words) => {
    const findings = await findingsOf(chatId, more);
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
    expect(findings.map(({ message }) => message).join()).toMatch(words);
  });

  it("a room that is not there, or has no such alias, is a problem", async () => {
    expect((await findingsOf("!nowhere:emulated.test"))[0]).toEqual(
      problem(/not in the home channel/, /Invite @hermes/),
    );
    expect((await findingsOf("#nowhere:emulated.test"))[0]).toEqual(problem(/no room called #nowhere/, /alias/));
  });

  it("an invitation that is not accepted yet is a warning, and stays one", async () => {
    const room = emulator.createRoom({ id: "!later:emulated.test", name: "Later" });
    emulator.invite(room.id);
    expect((await findingsOf(room.id))[0]).toEqual(warning(/invited to the home channel/, /Start the gateway/));
    expect(room.membership(BOT.userId)).toBe("invite");
  });

  it("a room that the bot is not in is a warning where no server tells of invitations", async () => {
    emulator.fail({ operation: "room_summary", kind: { is: "refuse", code: "M_UNRECOGNIZED" } });
    emulator.leave(ROOMS.group, BOT.userId);
    expect((await findingsOf(ROOMS.group))[0]).toEqual(
      warning(/does not tell whether it is invited/, /Invite @hermes/),
    );
  });

  it("a room that the bot was removed from is a problem", async () => {
    emulator.leave(ROOMS.group, BOT.userId);
    expect((await findingsOf(ROOMS.group))[0]).toEqual(problem(/not in the home channel/, /Invite @hermes/));
  });

  it("a power level that is too low is a problem with both levels", async () => {
    emulator.setMayWrite(ROOMS.direct, false);
    expect((await findingsOf(ROOMS.direct))[0]).toEqual(problem(/level is 0, and 50 is needed/, /moderator/));
  });

  it("a room that was upgraded is followed", async () => {
    emulator.upgradeRoom(ROOMS.group);
    expect((await findingsOf(ROOMS.group, { shared: true }))[0]).toEqual(warning(/invited/, /gateway/));
  });

  it("a thread that is gone is a problem, and one that is there is not", async () => {
    const threadId = emulator.openThread(ROOMS.direct, "Hermes");
    expect((await findingsOf(ROOMS.direct, { threadId })).map(({ state }) => state)).not.toContain("problem");
    emulator.removeThread(ROOMS.direct, threadId);
    expect((await findingsOf(ROOMS.direct, { threadId }))[0]).toEqual(problem(/thread .* is gone/, /!sethome/));
  });

  it("a room that others read has to be meant, and somebody answered there", async () => {
    const { findings } = await examine({ homeChannel: ROOMS.group });
    expect(findings[0]).toEqual(problem(/2 people would read/, /shared: true/));
    expect(findings[1]).toEqual(warning(/names nobody/, /operators/));
  });
});

it("a gateway that runs loses no message to a check, and nothing is changed", async () => {
  await using matrix = await startMatrix();
  const { emulator: platform } = matrix;
  const options = matrixOptions.parse({ ...platform.options, homeChannel: ROOMS.encryptedDirect });
  const { folder } = matrix;
  for (const text of ["one", "two", "three"]) {
    const writing = platform.receive({ chatId: ROOMS.encryptedDirect, text });
    const [{ findings }] = await Promise.all([setup.examine(options, setupContext({ folder })), writing]);
    expect(findings.filter(({ state }) => state !== "ok")).toEqual([]);
  }
  await matrix.untilReceived(3);
  expect(matrix.received.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  expect(platform.log.map(({ method }) => method)).not.toContain("login");
});

it("README.md names the steps and the variables that the set-up names", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const questions = setup.ways.flatMap((way) => way.questions);
  const steps = questions.flatMap((question) => question.steps).join("\n");
  const packed = (text: string) => text.replaceAll(" ", "");
  for (const { variable } of questions) if (variable) expect(readme).toContain(`process.env.${variable}`);
  const login = ["/_matrix/client/v3/login -d '{", '"type": "m.login.password"', '"user": "hermes"'];
  for (const words of ["register_new_matrix_user", "Start chat", "Internal room ID", ...login]) {
    expect(packed(readme)).toContain(packed(words));
    expect(packed(steps)).toContain(packed(words));
  }
});
