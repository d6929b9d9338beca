import { expect, test } from "vitest";
import { TestWorkspace } from "./test-workspace.ts";

test("shows the whole list with the state of each item, without a directory too", async () => {
  using space = new TestWorkspace();
  const items = [
    { text: "read", state: "done" },
    { text: "write", state: "doing" },
    { text: "test", state: "open" },
  ];
  expect(space.tool("todo").summary({ items })).toBe("3 items, 1 done");
  const result = await space.run("todo", { items }, space.where({ directory: null }));
  expect(result).toBe("[x] read\n[>] write\n[ ] test");
  expect(await space.run("todo", { items: [] })).toBe("The list is empty.");
});
