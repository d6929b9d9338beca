import { expect, it } from "vitest";
import { workspaceTools } from "./index.ts";
import { TestWorkspace } from "./test-workspace.ts";
import { TOOL_NAMES } from "./tool-names.ts";

it("the names that no plugin may take are those of all built-in tools", () => {
  using space = new TestWorkspace();
  const unused = () => Promise.reject(new Error("no call is made"));
  const tools = workspaceTools({
    ...{ home: space.home, jobs: space.jobs, files: { keep: unused } },
    sessions: { search: unused, find: unused, read: unused },
  });
  expect(new Set(tools.map(({ name }) => name))).toEqual(TOOL_NAMES);
});
