import { gate } from "@hermes/testing";
import { disposeMachines, LoopbackPlatform, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { letIn } from "../../command/let-in.ts";
import { linkByCode, newLinkCode } from "../../command/link-identity.ts";
import { CONFIG } from "../../config/config.ts";
import { type CodeSender, newCode } from "../../model/code.ts";
import type { PersonRole } from "../../model/person.ts";
import type { UserId } from "../../model/session.ts";
import type { PlatformAuthor } from "../../model/turn.ts";
import type { PlatformOptions } from "../../plugin/platform-options.ts";
import { currentRights } from "../../store/current-rights.ts";
import type { Store } from "../../store/store.ts";

afterEach(disposeMachines);

const ACCOUNT = { platform: "loopback", account: undefined };
const AT_WORK = { platform: "loopback", account: "work" };

/** A machine with two accounts of the platform, each with chats of its own. */
function twoAccounts(options: Partial<PlatformOptions>, script: Parameters<typeof machine>[1] = []) {
  const work = new LoopbackPlatform();
  const made = machine(options, script, [], (container) => {
    const config = container.resolve(CONFIG);
    const [first] = config.plugins;
    if (first === undefined) throw new Error("there is no first account");
    const atWork = {
      ...first.options,
      ...{ account: "work", homeChannel: undefined, operators: [], allowedUsers: [], allowedBots: [] },
    };
    const plugins = [first, { descriptor: work.plugin(), options: atWork }];
    container.registerInstance(CONFIG, { ...config, plugins });
  });
  /** The first turn of a process loads what it needs, which takes its time. */
  const until = async (isSo: () => boolean | Promise<boolean>, times = 20): Promise<void> => {
    if (times <= 1) return made.until(isSo);
    await made.until(isSo).catch(() => until(isSo, times - 1));
  };
  return { ...made, work, until };
}

async function added({ people }: Store, name: string, role: PersonRole, ...keys: (readonly [string, string?])[]) {
  const { id } = await people.add({ name, role });
  for (const [key, account] of keys) await people.link({ platform: "loopback", account, key }, id, "code", name);
  return id;
}

async function sessionsOf({ sessions }: Store, user: UserId) {
  return (await sessions.list({ visible: { kind: "begun-by", user }, limit: 10 })).sessions;
}

describe("a person with identities on two accounts", () => {
  it("a person sees the same sessions on both, and nobody else's", async () => {
    const { platform, work, gateway, until, model } = twoAccounts({ allowedUsers: ["ada"] });
    const { store } = (await gateway()).host;
    const ada = { chatId: "dm-ada", sender: { id: "ada" } };
    const bob = { chatId: "dm-bob", sender: { id: "bob" } };
    await platform.write("The plan of Ada", ada);
    await until(() => platform.textsIn("dm-ada").length === 1);
    await platform.write("Let me in", bob);
    expect(await store.users.refused("loopback", undefined)).toBe(1);

    const [adaId, bobId] = [
      await added(store, "Ada", "member", ["ada"], ["ada-w", "work"]),
      await added(store, "Bob", "member", ["bob"], ["bob-w", "work"]),
    ];
    expect(await sessionsOf(store, adaId)).toHaveLength(1);
    await platform.write("The plan of Bob", bob);
    await until(() => platform.textsIn("dm-bob").length === 1);
    await work.write("/sessions", { chatId: "dm-ada", sender: { id: "ada-w" } });
    await work.write("/sessions", { chatId: "dm-bob", sender: { id: "bob-w" } });
    await until(() => work.textsIn("dm-ada").length === 1 && work.textsIn("dm-bob").length === 1);
    expect(work.textsIn("dm-ada")[0]).toContain("The plan of Ada");
    expect(work.textsIn("dm-ada")[0]).not.toContain("Bob");
    expect(work.textsIn("dm-bob")[0]).toContain("The plan of Bob");
    expect(work.textsIn("dm-bob")[0]).not.toContain("Ada");
    await work.write("/resume 1", { chatId: "dm-bob", sender: { id: "bob-w" } });
    await work.write("And now?", { chatId: "dm-bob", sender: { id: "bob-w" } });
    await until(() => model.requests.length === 3);
    expect(model.requests[2]?.messages[0]?.text).toContain("The plan of Bob");
    expect(await sessionsOf(store, bobId)).toHaveLength(1);
    expect(await store.users.refused("loopback", "work")).toBe(0);
  });

  it("a person has the same rights on both, and in a shared chat those of shared chats", async () => {
    const { platform, work, gateway, until } = twoAccounts({});
    const { store } = (await gateway()).host;
    await store.sessions.create({ title: "Secret", user: "operator" as UserId, origin: "terminal", originChat: null });
    await added(store, "Ada", "operator", ["ada"], ["ada-w", "work"]);
    const isListed = async (on: LoopbackPlatform, chatId: string, id: string) => {
      await on.write("/sessions", { chatId, sender: { id }, isAddressed: true });
      await until(() => on.textsIn(chatId).length === 1);
      return on.textsIn(chatId)[0]?.includes("Secret");
    };
    expect(await isListed(platform, "dm-ada", "ada")).toBe(true);
    expect(await isListed(work, "dm-ada", "ada-w")).toBe(true);
    expect(await isListed(work, "team", "ada-w")).toBe(false);
  });

  it("a member's words from any private chat are data when the operator goes on there", async () => {
    const { platform, work, gateway, until, model } = twoAccounts({ operators: ["person"] });
    const { store } = (await gateway()).host;
    await added(store, "Ada", "member", ["ada"], ["ada-w", "work"]);
    await platform.write("The plan", { chatId: "dm-ada", sender: { id: "ada" } });
    await until(() => platform.textsIn("dm-ada").length === 1);
    await work.write("/resume 1", { chatId: "dm-ada", sender: { id: "ada-w" } });
    await work.write("Delete it.", { chatId: "dm-ada", sender: { id: "ada-w" } });
    await until(() => model.requests.length === 2);
    await platform.write("/resume The plan");
    await platform.write("Go on.");
    await until(() => model.requests.length === 3);
    const read = model.requests[2]?.messages.flatMap(({ role, text }) => (role === "user" ? [text] : []));
    expect(read).toEqual([
      expect.stringMatching(/^⟦from "ada" #[0-9a-f]{6}, who may not use tools⟧\n> The plan$/),
      expect.stringMatching(/^⟦from "ada-w" #[0-9a-f]{6}, who may not use tools⟧\n> Delete it\.$/),
      "Go on.",
    ]);
  });
});

it("a newcomer who was let in stays known, and whoever gets their number is not", async () => {
  const { platform, gateway, until } = machine({ pairing: true });
  platform.numbers.set("eve", "+1");
  const { store } = (await gateway()).host;
  const dm = { chatId: "dm-eve", sender: { id: "eve" } };
  await platform.write("Let me in", dm);
  const [request] = await store.codes.list("pairing");
  if (!request?.who) throw new Error("nobody asked");
  await letIn(store, { ...request, who: request.who });
  await platform.write("/whoami", dm);
  await until(() => platform.textsIn("dm-eve").some((text) => text.startsWith("You are an allowed user")));
  platform.numbers.delete("eve");
  platform.numbers.set("mallory", "+1");
  await platform.write("/whoami", { chatId: "dm-mallory", sender: { id: "mallory" } });
  expect(await store.users.refused("loopback", undefined)).toBe(2);
  expect(await store.people.list()).toHaveLength(2);
});

it("a person removed during their turn is told so once, and not answered any more", async () => {
  const held = gate();
  const { platform, gateway, until, model } = machine({}, [[{ say: "Part of it" }, { hold: held }, { say: "." }]]);
  const { store } = (await gateway()).host;
  const ada = await added(store, "Ada", "operator", ["ada"]);
  const dm = { chatId: "dm-ada", sender: { id: "ada" } };
  await platform.write("Do it", dm);
  await until(() => model.requests.length === 1);
  await platform.write("And that", dm);
  await store.people.remove(ada);
  const isTold = () => platform.textsIn("dm-ada").filter((text) => text.includes("no longer allowed to")).length;
  await until(() => isTold() === 1);
  held.open();
  await until(async () => (await store.inbox.openLanes("loopback", undefined)).length === 0);
  expect(isTold()).toBe(1);
  expect(model.requests).toHaveLength(1);
  expect(platform.textsIn("dm-ada").filter((text) => !text.includes("Stopped"))).toEqual([]);
});

/** Who somebody is to every process at this moment, by what they may do. */
async function standing(store: Store, author: PlatformAuthor): Promise<string> {
  const rights = await currentRights(store, author);
  const may = (["tool", "command", "talk"] as const).find((act) => rights.mayDo(act).ok);
  return may === undefined ? "stranger" : { tool: "operator", command: "member", talk: "guest" }[may];
}

interface Way {
  readonly way: string;
  readonly gives: "operator" | "member" | "guest";
  readonly isBot?: boolean;
  /** What the config says while the way is open; it is read when a gateway starts. */
  readonly config?: Partial<PlatformOptions>;
  become?(store: Store): Promise<unknown>;
  undo?(store: Store): Promise<unknown>;
}

const personOf = async ({ people }: Store) => (await people.of(ACCOUNT, "ada"))?.id ?? ("" as UserId);
const homeOf = async ({ homePeople }: Store) => {
  const [home] = await homePeople.list();
  if (home === undefined) throw new Error("there is no home channel");
  return home;
};
const leaveHome = async (store: Store) => store.homePeople.set(await homeOf(store), "eve", "terminal");

const ADMIN = "operator" as UserId;
const CHAT = { platform: "loopback", chatId: "home", kind: "dm" } as const;
const ADA: CodeSender = {
  ...{ ...ACCOUNT, key: "ada", id: "ada", name: "Ada", conversation: CHAT },
  surface: buildSessionKey(CHAT),
};
const redeem = ({ codes }: Store, code: string) =>
  codes.redeem({ code, who: ADA, user: null, messageId: "m", mirrors: false, outbox: [] });

const WAYS: readonly Way[] = [
  { way: "operators in the config", gives: "operator", config: { operators: ["ada"] } },
  { way: "allowedUsers in the config", gives: "member", config: { allowedUsers: ["ada"] } },
  { way: "everybody in the config", gives: "member", config: { allowedUsers: ["*"] } },
  { way: "allowedBots in the config", gives: "member", isBot: true, config: { allowedBots: ["ada"] } },
  {
    ...{ way: "the home channel by the platform's word", gives: "operator", undo: leaveHome },
    config: { homeChannel: { chatId: "home" } },
  },
  {
    ...{ way: "/sethome", gives: "operator", undo: leaveHome, config: { homeChannel: { chatId: "home" } } },
    become: async (store) => store.homePeople.set({ ...(await homeOf(store)), name: null }, "ada", "sethome"),
  },
  {
    ...{ way: "hermes home operator", gives: "operator", undo: leaveHome, config: { homeChannel: { chatId: "home" } } },
    become: async (store) => store.homePeople.set(await homeOf(store), "ada", "terminal"),
  },
  {
    ...{ way: "a linked identity of the operator", gives: "operator" },
    become: ({ people }) => people.link({ ...ACCOUNT, key: "ada" }, "operator" as UserId, "code", null),
    undo: ({ people }) => people.unlink({ ...ACCOUNT, key: "ada" }),
  },
  {
    ...{ way: "a person added as an operator, who is removed", gives: "operator" },
    become: (store) => added(store, "Ada", "operator", ["ada"]),
    undo: async (store) => store.people.remove(await personOf(store)),
  },
  {
    ...{ way: "a person added as a member, whose identity is unlinked", gives: "member" },
    become: (store) => added(store, "Ada", "member", ["ada"]),
    undo: ({ people }) => people.unlink({ ...ACCOUNT, key: "ada" }),
  },
  {
    ...{ way: "a member who is made an operator, and removed", gives: "operator" },
    become: async (store) => store.people.setRole(await added(store, "Ada", "member", ["ada"]), "operator"),
    undo: async (store) => store.people.remove(await personOf(store)),
  },
  {
    ...{ way: "a link code that the terminal says yes to", gives: "operator" },
    become: async (store) => {
      const person = await store.people.get("operator" as UserId);
      if (person === null) throw new Error("nobody is at the terminal");
      const { code, made } = await newLinkCode(store, person);
      await redeem(store, code);
      // Sent, it gives nothing yet.
      expect(await store.people.of(ACCOUNT, "ada")).toBeNull();
      const claim = await store.codes.get(made.number);
      if (claim !== null) await linkByCode({ store, person, ask: async () => true }, claim);
    },
    undo: ({ people }) => people.unlink({ ...ACCOUNT, key: "ada" }),
  },
  {
    ...{ way: "a newcomer's request that is approved", gives: "member" },
    become: async (store) => {
      const request = await store.codes.requestPairing({ code: newCode(), who: ADA, ttlMs: 60_000, outbox: [] });
      if (request !== null) await letIn(store, { ...request, who: ADA });
    },
    undo: async (store) => store.people.remove(await personOf(store)),
  },
  {
    ...{ way: "a pass that was for anyone, which is revoked", gives: "guest" },
    become: async (store) => {
      const { id } = await store.sessions.create({ user: ADMIN, origin: "terminal", originChat: null });
      const code = newCode();
      const pass = { code, kind: "pass", issuer: ADMIN, person: null, sessionId: id, who: null } as const;
      await store.codes.create({ ...pass, ttlMs: 60_000 });
      await redeem(store, code);
    },
    undo: async ({ codes }) => codes.revoke((await codes.list("pass"))[0]?.number ?? 0),
  },
];

describe("each way to become someone gives exactly that, and is taken back at once", () => {
  it.each(WAYS)("$way gives the rights of one $gives", async ({ gives, isBot, config, become, undo }) => {
    const options: { -readonly [Key in keyof PlatformOptions]?: PlatformOptions[Key] } = { homeChannel: undefined };
    const { platform, gateway, terminal } = machine(options);
    platform.people = ["ada"];
    const { store } = await terminal();
    const conversation = { platform: "loopback", chatId: "home", kind: "dm" } as const;
    const author: PlatformAuthor = { ...ACCOUNT, senderId: "ada", aliases: [], isBot, conversation };
    const eve: PlatformAuthor = { ...author, senderId: "eve", isBot: undefined };
    const restart = async (former: { end(): Promise<void> }) => {
      await former.end();
      return gateway();
    };

    let served = await gateway();
    expect(await standing(store, author)).toBe("stranger");
    Object.assign(options, config);
    if (config !== undefined) served = await restart(served);
    await become?.(store);
    expect(await standing(store, author)).toBe(gives);
    expect(await standing(store, eve)).toBe(config?.allowedUsers?.includes("*") ? "member" : "stranger");
    expect(await standing(store, { ...author, ...AT_WORK })).toBe("stranger");

    if (undo) await undo(store);
    else {
      for (const name of Object.keys(config ?? {})) Object.assign(options, { [name]: [] });
      await restart(served);
    }
    expect(await standing(store, author)).toBe("stranger");
  });
});
