import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";

afterEach(disposeMachines);

const from = (id: string) => ({
  conversation: { platform: "loopback", chatId: `dm-${id}`, kind: "dm" } as const,
  sender: { id, name: id },
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
