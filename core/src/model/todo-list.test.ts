import { expect, it } from "vitest";
import { todoListOf } from "./todo-list.ts";

const call = (input: unknown, name = "todo") => ({ toolCalls: [{ id: "1.1", name, input }] });

it("the to-do list of a session is the one of its last call that can be read", () => {
  const items = [
    { text: "write a test", state: "done" },
    { text: "mend it", state: "doing" },
  ];
  expect(todoListOf([])).toEqual([]);
  expect(
    todoListOf([call({ items: [] }), call({ items }), call({ items: ["x"] }), call({ items: [] }, "read")]),
  ).toEqual(items);
});
