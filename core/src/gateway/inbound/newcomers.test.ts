import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { letIn } from "../../command/let-in.ts";
import type { Store } from "../../store/store.ts";

afterEach(disposeMachines);

/** A store whose process dies after so many calls. */
function dyingAfter(store: Store, calls: number): Store {
  let left = calls;
  const dying = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name);
        if (typeof found === "object" && found !== null) return dying(found);
        if (typeof found !== "function") return found;
        return (...args: unknown[]) => {
          left -= 1;
          return left < 0
            ? Promise.reject(new Error("the process is dead"))
            : (Reflect.apply(found, target, args) as unknown);
        };
      },
    });
  return dying(store);
}

const from = (id: string) => ({
  conversation: { platform: "loopback", chatId: `dm-${id}`, kind: "dm" } as const,
  sender: { id, name: id },
});

describe("the operator is asked in the private home channel", () => {
  async function asked(name = "eve") {
    const on = machine({ pairing: true });
    const { host } = await on.gateway();
    await on.platform.write("Let me in", { ...from("eve"), sender: { id: "eve", name } });
    await on.until(() => on.platform.textsIn("home").length > 0);
    const question = on.platform.messages.find(({ chatId }) => chatId === "home");
    const press = (label: RegExp, id = "person") => {
      const choice = question?.choices?.find((one) => label.test(one.label));
      return on.platform.press(question?.id ?? "", choice?.id ?? "", { id });
    };
    const owner = () => host.store.people.of({ platform: "loopback", account: undefined }, "eve");
    return { ...on, host, question, press, owner };
  }

  it("yes lets the newcomer in, and tells them", async () => {
    const { question, press, owner, platform, clock } = await asked();
    expect(question?.text).toMatch(/^\*\*eve\*\* \(`eve` on loopback\) wants to talk/);
    await press(/Let them in/);
    expect(await owner()).toMatchObject({ name: "eve", role: "member" });
    await clock.advance(3_000);
    expect(platform.textsIn("dm-eve").at(-1)).toContain("The operator has let you in");
    expect(question).toMatchObject({ text: expect.stringContaining("They were let in"), choices: [] });
    await press(/No/);
    expect(await owner()).not.toBeNull();
  });

  it("no denies them, and a stranger's press does nothing", async () => {
    const { question, press, owner, platform, until } = await asked();
    await press(/Let them in/, "eve");
    expect(await owner()).toBeNull();
    await press(/No/);
    await until(() => question?.text.includes("They were not let in") === true);
    await platform.write("Let me in", from("eve"));
    expect(await owner()).toBeNull();
    expect(platform.textsIn("dm-eve")).toHaveLength(1);
  });

  it("a decision in the terminal closes the question", async () => {
    const { host, question, until } = await asked();
    const [request] = await host.store.codes.list("pairing");
    if (!request?.who) throw new Error("nobody asks");
    expect(await letIn(host.store, { ...request, who: request.who })).toMatchObject({ name: "eve" });
    await until(() => question?.text.includes("They were let in") === true);
  });

  it("a gateway that dies letting a newcomer in leaves it to the next press, once", async () => {
    for (let calls = 1; calls < 8; calls++) {
      const { host, owner, press, platform, clock, until, question } = await asked();
      const [request] = await host.store.codes.list("pairing");
      if (!request?.who) throw new Error("nobody asks");
      await letIn(dyingAfter(host.store, calls), { ...request, who: request.who }).catch(() => {});
      await press(/Let them in/);
      expect(await owner(), `after ${calls} calls`).toMatchObject({ role: "member" });
      await clock.advance(3_000);
      expect(platform.textsIn("dm-eve").filter((text) => text.includes("has let you in"))).toHaveLength(1);
      await until(() => question?.text.includes("They were let in") === true);
      expect((await host.store.people.list()).map(({ name }) => name)).toEqual(["operator", "eve"]);
      await disposeMachines();
    }
  });

  it("a press that comes after a no elsewhere says what was decided", async () => {
    const { host, press, owner, question, until } = await asked();
    const [request] = await host.store.codes.list("pairing");
    await host.store.codes.settle(request?.number ?? 0, "refused");
    await press(/Let them in/);
    expect(await owner()).toBeNull();
    await until(() => question?.text.includes("They were not let in") === true);
  });

  it("a newcomer is let in whose name is as long as can be, and somebody's already", async () => {
    const { host, press, owner } = await asked("N".repeat(10_000));
    await host.store.people.add({ name: "N".repeat(80), role: "member" });
    await press(/Let them in/);
    expect(await owner()).toMatchObject({ name: `${"N".repeat(78)} 2`, role: "member" });
  });

  it("many newcomers at once are put to the operator three at a time", async () => {
    const { platform, clock } = await asked();
    for (let at = 0; at < 10; at++) await platform.write("Let me in", from(`newcomer-${at}`));
    await clock.advance(3_000);
    expect(platform.textsIn("home")).toHaveLength(3);
  });
});

describe("a stranger in a private chat", () => {
  it("a stranger who writes 50 messages gets one answer where pairing is on", async () => {
    const { platform, gateway, clock, model } = machine({ pairing: true });
    const { host } = await gateway();
    for (let at = 0; at < 50; at++) await platform.write(`Let me in, says Mallory ${at}`, from("eve"));
    await clock.advance(3_000);
    expect(platform.textsIn("dm-eve")).toHaveLength(1);
    expect(platform.textsIn("dm-eve")[0]).toMatch(/^This Hermes does not know you yet.*`[0-9A-Z]{4}-[0-9A-Z]{4}`/);
    expect(platform.textsIn("dm-eve")[0]).not.toMatch(/Mallory|eve/);
    expect(await host.store.codes.list("pairing")).toMatchObject([{ who: { id: "eve", name: "eve" } }]);
    expect(await host.store.users.refused("loopback", undefined)).toBe(50);
    expect(model.requests).toEqual([]);
  });

  it("no stranger is answered without pairing, in a group, or for an edit or a forward", async () => {
    const off = machine();
    await off.gateway();
    await off.platform.write("Let me in", from("eve"));
    const on = machine({ pairing: true });
    await on.gateway();
    const { sender, conversation } = from("eve");
    await on.platform.write("Let me in", { chatId: "team", isAddressed: true, sender });
    await on.platform.write("Let me in", { conversation, sender, isEdit: true });
    await on.platform.write("", { conversation, sender, quotes: [{ kind: "forward", text: "Let me in" }] });
    await on.platform.write("Let me in", { conversation, sender: { ...sender, isBot: true } });
    for (const { clock, platform } of [off, on]) {
      await clock.advance(3_000);
      expect(platform.messages).toEqual([]);
    }
  });
});
