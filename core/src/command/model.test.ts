import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import { HermesError } from "../base/errors.ts";
import { randomIds } from "../base/ids.ts";
import { systemProcessProbe } from "../base/process-identity.ts";
import type { CodeSender } from "../model/code.ts";
import type { ModelChoice } from "../model/model-choice.ts";
import { OPERATOR, type Session, type UserId } from "../model/session.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./command.ts";
import { runCommand } from "./run-command.ts";

const ADA = "pager:ada" as UserId;
const sender = {} as CodeSender;
const ada = { user: ADA, isOperator: false, sender };
const operator = { user: OPERATOR, isOperator: true };

let folder: string;
let store: Store;
let session: Session;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-model-"));
  const file = join(folder, "store", "hermes.db");
  store = await openSqliteStore({ file, clock: createVirtualClock(), ids: randomIds, probe: systemProcessProbe });
  session = await store.sessions.create({ title: "plan", user: ADA, origin: "terminal", originChat: null });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const models: ModelChoice = {
  usual: "acme/usual",
  named: ["acme/usual"],
  describe: (model) => (model === "acme/large" ? "window 9 tokens" : "window unknown"),
  async check(model) {
    const there = { isThere: true, whyUnknown: null, near: [] };
    if (model === "acme/large" || model === "acme/usual") return there;
    if (model.startsWith("deaf/")) return { isThere: null, whyUnknown: "it is deaf.", near: [] };
    if (!model.startsWith("acme/")) throw new HermesError("AGENT_PROVIDER_UNKNOWN", { provider: "x", known: "acme" });
    return { isThere: false, whyUnknown: null, near: model === "acme/lrage" ? ["acme/large"] : [] };
  },
};

function model(argument: string, changes: Partial<CommandContext>): Promise<string> {
  const place = {
    ...{ store, models, surface: buildSessionKey({ platform: "pager", chatId: "7", kind: "dm" }), isGuest: false },
    session: () => store.sessions.get(session.id),
    typed: (command: string) => `/${command}`,
    ...changes,
  } as CommandContext;
  return runCommand("model", place, argument).then(({ reply }) => reply);
}

const chosen = async () => (await store.sessions.get(session.id))?.model;

describe("/model", () => {
  test("shows the model, sets it for the session, and goes back", async () => {
    expect(await model("", ada)).toBe("The model is **acme/usual**, as the config has it: window unknown.");
    expect(await model("acme/large", ada)).toBe("The next message goes to **acme/large**: window 9 tokens.");
    expect(await chosen()).toBe("acme/large");
    expect(await model("", ada)).toMatch(
      /\*\*acme\/large\*\*, chosen for this session: .*\n`\/model default` goes back/,
    );
    expect(await model("default", ada)).toContain("**acme/usual**, as the config has it");
    expect(await chosen()).toBeNull();
  });

  test("a name without a provider is taken for one of the provider in use", async () => {
    await model("large", ada);
    expect(await chosen()).toBe("acme/large");
  });

  test("offers what may have been meant, and sets nothing that is not there", async () => {
    expect(await model("acme/lrage", ada)).toBe("acme has no model lrage. Did you mean `/model acme/large`?");
    expect(await model("acme/none", ada)).toBe("acme has no model none. `hermes models acme` lists what it has.");
    await expect(model("x/y", ada)).rejects.toMatchObject({ code: "AGENT_PROVIDER_UNKNOWN" });
    expect(await chosen()).toBeNull();
  });

  test("sets a model that its provider cannot be asked for, and says so", async () => {
    expect(await model("deaf/one", operator)).toMatch(/\*\*deaf\/one\*\*.*\nCould not check whether it exists: it is/);
    expect(await chosen()).toBe("deaf/one");
  });

  test("the model of a chat that others read is chosen by operators alone", async () => {
    await expect(model("acme/large", { user: ADA, isOperator: false })).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    const other = { ...ada, user: "pager:bob" as UserId };
    await expect(model("acme/large", other)).rejects.toMatchObject({ code: "NOT_ALLOWED" });
    expect(await chosen()).toBeNull();
    expect(await model("", { user: ADA, isOperator: false })).toContain("acme/usual");
    await model("acme/large", operator);
    expect(await chosen()).toBe("acme/large");
  });
});
