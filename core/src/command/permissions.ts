import { codeSpan, escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { SessionId } from "../model/session.ts";
import { meaningOf } from "../model/session-mode.ts";
import type { Command, CommandContext, RuleInForce } from "./command.ts";
import { modeAt } from "./mode.ts";

const KINDS = [
  ["deny", "Denied"],
  ["ask", "Asked, whatever else allows it"],
  ["allow", "Allowed without asking"],
] as const;

export const permissionsCommand: Command = {
  name: "permissions",
  description: "Show what the agent may do without asking, and which rule says so",
  category: "Info",
  aliases: ["allowed-tools"],
  argumentHint: "",
  immediate: true,
  operatorsOnly: true,
  async run(place) {
    const session = await place.session();
    const mode = await modeAt(place);
    const parts = [
      `Mode **${mode}**: ${meaningOf(mode)}.`,
      ...(session === null ? [] : describeRules((await place.rulesOf?.(session)) ?? [])),
      ...(session === null ? [] : await describeAllowed(place, session.id)),
      "Without a rule, reading below the directory is allowed, and all else is asked.",
    ];
    return { reply: parts.join("\n\n") };
  },
};

function describeRules(rules: readonly RuleInForce[]): string[] {
  return KINDS.flatMap(([kind, title]) => {
    const lines = rules
      .filter((one) => one.kind === kind)
      .map(({ rule, from }) => `- ${codeSpan(rule)}${from === null ? "" : ` in ${codeSpan(from)}`}`);
    return lines.length === 0 ? [] : [`${title}:\n${lines.join("\n")}`];
  });
}

async function describeAllowed({ store }: CommandContext, sessionId: SessionId): Promise<string[]> {
  const allowed = await store.approvals.allowedInSession(sessionId);
  const lines = allowed.flatMap(({ by, rules }) =>
    rules.map((rule) => `- ${codeSpan(rule)}, by ${escapeMarkdown(by.name)}`),
  );
  return lines.length === 0 ? [] : [`Allowed for this session:\n${lines.join("\n")}`];
}
