import { expect, it } from "vitest";
import { fileOf, textOf } from "./parts.ts";

const ALL = { receive: "polling", threads: true, edits: true } as const;

it("a part stays where its answer is yes and goes with its marks where it is no", () => {
  const text = ["one", "  // #if threads", "  two", "  // #end", "<!-- #if edits -->", "three", "<!-- #end -->"].join(
    "\n",
  );
  expect(textOf(text, ALL)).toBe("one\n  two\nthree");
  expect(textOf(text, { ...ALL, threads: false })).toBe("one\nthree");
  expect(textOf(text, { ...ALL, threads: false, edits: false })).toBe("one");
});

it("the file of the chosen way loses the way from its name and from imports of it", () => {
  expect(fileOf("src/receive.polling.ts", ALL)).toBe("src/receive.ts");
  expect(fileOf("src/receive.socket.ts", ALL)).toBeNull();
  expect(fileOf("src/threads.ts", { ...ALL, threads: false })).toBeNull();
  expect(fileOf("gitignore", ALL)).toBe(".gitignore");
  expect(textOf('import { a } from "./receive.polling.ts";', { ...ALL, receive: "socket" })).toBe(
    'import { a } from "./receive.ts";',
  );
});

it("a mark of a part that there is not is an error rather than a hole", () => {
  expect(() => textOf("// #if thread\n// #end", ALL)).toThrow("no part that is called thread");
});
