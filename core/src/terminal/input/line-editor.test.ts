import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createStyles, Styled } from "../styled.ts";
import { KeyDecoder } from "./keys.ts";
import { LineEditor, type Outcome } from "./line-editor.ts";
import { Recall } from "./recall.ts";

function openEditor(history: readonly string[] = [], candidates: readonly string[] = []) {
  const editor = new LineEditor({
    prompt: Styled.from("› "),
    styles: createStyles(false),
    recall: new Recall(history),
    complete: async (line) => candidates.filter((one) => one.startsWith(line)),
    onChange() {},
  });
  const decoder = new KeyDecoder();
  return {
    editor,
    press(keys: string): Outcome | null {
      let outcome: Outcome | null = null;
      decoder.feed(keys);
      for (let key = decoder.next(); key !== null; key = decoder.next()) outcome = editor.handle(key) ?? outcome;
      return outcome;
    },
    /** The input, and what is shown below it. */
    seen(width = 40, room = 6) {
      const rows = [...editor.draw(width, room).rows, ...editor.drawBelow(width, room).rows];
      return rows.map((row) => stripVTControlCharacters(row).trimEnd());
    },
  };
}

test("shows the rows at the cursor when a message is higher than its room", () => {
  const { press, seen, editor } = openEditor();
  press("a");
  press("\nb\nc\nd");
  expect(seen(20, 3)).toEqual(["  b", "  c", "  d"]);
  expect(editor.draw(20, 3).cursor).toEqual({ row: 2, column: 3 });
  press("\x1b[A\x1b[A\x1b[A");
  expect(seen(20, 3)).toEqual(["› a", "  b", "  c"]);
});

test("arrows go through the rows, then through what was typed before, and back", () => {
  const { press, editor } = openEditor(["older", "one\ntwo"]);
  press("begun");
  press("\x1b[A");
  expect(editor.text).toBe("one\ntwo");
  press("\x1b[A\x1b[A");
  expect(editor.text).toBe("older");
  press("\x1b[A");
  expect(editor.text).toBe("older");
  press("\x1b[B\x1b[B\x1b[B");
  expect(editor.text).toBe("begun");
});

test("Ctrl-R finds the next older one; Ctrl-G leaves what stood there", () => {
  const { press, seen, editor } = openEditor(["a harbour", "no", "the Harbour"]);
  press("begun");
  press("\x12harb");
  expect(seen(90)).toEqual([
    "› the Harbour",
    "  searched: harb_   Ctrl-R an older one · Enter sends it · Esc edits it · Ctrl-G leaves",
  ]);
  press("\x12");
  expect(seen(90)[0]).toBe("› a harbour");
  press("\x07");
  expect(editor.text).toBe("begun");
  expect(press("\x12harb\x12\r")).toEqual({ type: "submit", text: "a harbour" });
});

test("Tab completes what is common, shows what there is, and then chooses", async () => {
  const { press, seen, editor } = openEditor([], ["/resume plan A", "/resume plan B", "/retry"]);
  press("/res\t");
  await Promise.resolve().then(() => {});
  await Promise.resolve();
  expect(seen()).toEqual(["› /resume plan", "  /resume plan A", "  /resume plan B"]);
  press("\t\t");
  expect(editor.text).toBe("/resume plan B");
  expect(seen()).toEqual(["› /resume plan B", "  /resume plan A", "› /resume plan B"]);
  expect(press("\r")).toEqual({ type: "submit", text: "/resume plan B" });
});

test("Ctrl-D leaves an empty input, and else takes a character away", () => {
  const { press, editor } = openEditor();
  press("ab\x01");
  expect(press("\x04")).toBeNull();
  expect(editor.text).toBe("b");
  press("\x04");
  expect(press("\x04")).toEqual({ type: "end" });
});
