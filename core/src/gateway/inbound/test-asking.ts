import { machine } from "@hermes/testing/gateway-machine";
import type { DependencyContainer } from "tsyringe";
import { z } from "zod";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import type { Tool } from "../../agent/agent.ts";
import { questionTool } from "../../tools/question.ts";
import { testPolicy } from "../../turn/test-policy.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";

export const HOME = buildSessionKey({ platform: "loopback", chatId: "home", kind: "dm" });
const TEAM = buildSessionKey({ platform: "loopback", chatId: "team", kind: "group" });

export const touch = (at = "x") => ({ call: [{ name: "touch", input: { at } }] });
export const touchBoth = {
  call: [
    { name: "touch", input: { at: "a" } },
    { name: "touch", input: { at: "b" } },
  ],
};
export const question = { call: [{ name: "question", input: { question: "Tea?", answers: ["Green", "Black"] } }] };

/** A machine whose agent has the tool `touch`, which needs a yes, and may ask by itself. */
export function asking(
  options: Parameters<typeof machine>[0] = {},
  script: Parameters<typeof machine>[1] = [],
  allow: readonly string[] = [],
  also: (container: DependencyContainer) => void = () => {},
) {
  const ran: string[] = [];
  const tool: Tool<{ at: string }> = {
    ...{ name: "touch", description: "touches", input: z.object({ at: z.string() }), effect: "runs" },
    summary: ({ at }) => `touch ${at}`,
    subjects: ({ at }) => [at],
    run: async ({ at }) => {
      ran.push(at);
      return { text: `touched ${at}` };
    },
  };
  const policy = testPolicy([tool as Tool, questionTool as Tool], {}, allow);
  const on = machine(options, script, [], (container) => {
    container.registerInstance(TOOL_POLICY, policy);
    also(container);
  });
  const { platform, clock, until } = on;
  platform.now = () => clock.now();

  const questionsIn = (chatId: string) =>
    platform.messages.filter((message) => message.chatId === chatId && (message.choices ?? []).length > 0);
  return {
    ...on,
    ran,
    questionsIn,
    /** Writes now, by the platform's clock, after everything that was said before. */
    async say(text: string, at: Parameters<typeof platform.write>[1] = {}) {
      await clock.advance(1_000);
      return platform.write(text, { sentAt: clock.now(), ...at });
    },
    /** Waits until a question is shown in a chat, and kept as shown; returns its message. */
    async asked(store: { approvals: { shownAt(key: SessionKey): Promise<{ shownAt: number | null }[]> } }, count = 1) {
      const shown = async (key: SessionKey) =>
        (await store.approvals.shownAt(key)).filter((one) => one.shownAt !== null);
      await until(async () => (await shown(HOME)).length + (await shown(TEAM)).length === count);
      const found = [...questionsIn("home"), ...questionsIn("team")].at(-1);
      if (!found) throw new Error("no question is shown");
      return found;
    },
    press: (
      message: { id: string; choices?: readonly { id: string; label: string }[] },
      label: RegExp,
      id = "person",
    ) => {
      const choice = message.choices?.find((one) => label.test(one.label));
      return platform.press(message.id, choice?.id ?? "", { id, name: id === "person" ? "Ada" : id });
    },
  };
}

/** A group with an operator, `person`, and somebody who may only talk, `member`. */
export const IN_TEAM = { allowedUsers: ["member"], operators: ["person"] };
export const toTeam = (id: string) => ({ chatId: "team", isAddressed: true, sender: { id, name: id } });
