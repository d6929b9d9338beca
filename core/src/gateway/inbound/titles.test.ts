import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it } from "vitest";
import { OPERATOR } from "../../model/session.ts";

afterEach(disposeMachines);

/** A gateway with an operator and a member, and sessions of the operator's in the terminal. */
async function withTitles(...titles: readonly string[]) {
  const on = machine({ operators: ["op"], allowedUsers: ["mem"], requireMention: false });
  const { store } = (await on.gateway()).host;
  for (const title of titles) {
    await store.sessions.create({ title, user: OPERATOR, origin: "terminal", originChat: null });
  }
  const writesIn = async (chatId: string, id: string, text: string) => {
    const before = on.platform.textsIn(chatId).length;
    await on.platform.write(text, { chatId, sender: { id, name: id } });
    await on.until(() => on.platform.textsIn(chatId).length > before);
    return on.platform.textsIn(chatId).slice(before).join("\n---\n");
  };
  const writes = (id: string, text: string) => writesIn(`dm-${id}`, id, text);
  return { ...on, store, writes, writesIn };
}

it("a title does not tell a member that the operator has a session of that title", async () => {
  const { writes } = await withTitles("Plan", "Salaries", "Plan (fork)");
  await writes("mem", "Salaries");
  expect(await writes("mem", "/title")).toBe("This session is **Salaries**.");
  expect(await writes("mem", "/title Plan")).toBe("This session is now **Plan**.");
  expect(await writes("mem", "/fork")).toContain("You go on in **Plan (fork)**");
  expect(await writes("mem", "/resume Plan")).toContain("Resumed **Plan**");
  expect(await writes("mem", "/resume Salaries")).not.toContain("Resumed");
  await writes("mem", "/new");
  await writes("mem", "Something else");
  expect(await writes("mem", "/title Plan")).toContain("**Plan 2**");
});

it("a title in a shared chat does not tell which others the people there have", async () => {
  const { writes, writesIn } = await withTitles("Plan", "Salaries");
  await writes("mem", "Plan");
  await writesIn("team", "mem", "Salaries");
  expect(await writesIn("team", "mem", "/title")).toBe("This session is **Salaries**.");
  expect(await writesIn("team", "op", "/title Plan")).toBe("This session is now **Plan**.");
  await writesIn("team", "op", "/new");
  await writesIn("team", "op", "Plan");
  expect(await writesIn("team", "mem", "/title")).toBe("This session is **Plan 2**.");
  expect(await writesIn("team", "mem", "/resume Plan")).toContain("Resumed **Plan**");
});

it("an operator who names a title of several people is told how to choose", async () => {
  const { store, writes } = await withTitles("Plan");
  await writes("mem", "Plan");
  const { sessions } = await store.sessions.list({ visible: { kind: "all" }, limit: 5 });
  const [hers, own] = sessions;
  const reply = await writes("op", "/resume plan");
  expect(reply).toContain(`Plan (${hers?.id}, begun by mem), Plan (${own?.id}, begun by operator)`);
  expect(reply).toContain("Name one by its id.");
  expect(await writes("op", `/resume ${own?.id}`)).toContain("Resumed **Plan**");
  await writes("op", "More");
  expect(await writes("op", "/fork")).toContain(`\`/resume ${own?.id}\` leads back.`);
});
