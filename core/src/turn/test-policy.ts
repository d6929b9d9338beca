import type { Tool } from "../agent/agent.ts";
import { EVERY_SESSION } from "../model/session.ts";
import type { PermissionContext } from "../permissions/judge.ts";
import type { ToolPolicy } from "./tool-policy.ts";

/** A policy for tests: every session has the tools, and those whose names are in `allow` need no yes. */
export function testPolicy(
  tools: readonly Tool[],
  context: Partial<PermissionContext> = {},
  allow: readonly string[] = tools.map(({ name }) => name),
): ToolPolicy {
  return {
    answerWithinMs: null,
    toolsOf: async () => tools,
    directoryOf: (session) => session.workingDirectory,
    contextOf: async ({ mode, workingDirectory: directory }) => ({
      ...{ rules: { allow, ask: [], deny: [] }, mode, directory, home: "/nowhere/hermes", shared: false },
      ...{ isOperator: true, ...context },
    }),
    rulesOf: async () => allow.map((rule) => ({ kind: "allow", rule, from: null })),
    isOwnConfig: () => true,
    addAllowed: () => {},
    visibilityOf: async () => EVERY_SESSION,
    refusalOf: async () => null,
  };
}
