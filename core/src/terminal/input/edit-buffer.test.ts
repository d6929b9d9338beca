import { expect, test } from "vitest";
import { EditBuffer } from "./edit-buffer.ts";

function bufferWith(text: string): EditBuffer {
  const buffer = new EditBuffer();
  buffer.reset(text);
  return buffer;
}

/** The text with a bar where the cursor stands. */
function shown({ text, cursor }: EditBuffer): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

test.each(["👩‍👩‍👧", "🇩🇪", "e\u0301", "👍🏽", "1️⃣", "한", "क्षि"])(
  "%s goes with one Backspace, and one key passes it",
  (character) => {
    const buffer = bufferWith(`a${character}`);
    buffer.left();
    expect(shown(buffer)).toBe(`a|${character}`);
    buffer.right();
    buffer.backspace();
    expect(shown(buffer)).toBe("a|");
    buffer.undo();
    expect(shown(buffer)).toBe(`a${character}|`);
  },
);

test("the cursor never stands within a character that grew together", () => {
  const buffer = bufferWith("e\u0301x");
  buffer.left();
  buffer.left();
  buffer.insert("a");
  expect(shown(buffer)).toBe("a|e\u0301x");
  buffer.reset("a\u0301");
  buffer.moveTo(0);
  buffer.delete();
  expect(shown(buffer)).toBe("|");
});

test("moves and cuts by words and lines", () => {
  const buffer = bufferWith("one, two\nthree vier");
  buffer.wordLeft();
  expect(shown(buffer)).toBe("one, two\nthree |vier");
  buffer.lineStart();
  buffer.left();
  buffer.wordLeft();
  expect(shown(buffer)).toBe("one, |two\nthree vier");
  buffer.cutToLineEnd();
  buffer.cutWordLeft();
  expect(shown(buffer)).toBe("|\nthree vier");
  buffer.putBack();
  expect(shown(buffer)).toBe("one, |\nthree vier");
  buffer.cutToLineEnd();
  expect(shown(buffer)).toBe("one, |three vier");
});

test("undoes a word at a time, a paste whole, and does again what was undone", () => {
  const buffer = bufferWith("");
  for (const letter of "one two") buffer.insert(letter);
  buffer.insert("pasted", "paste");
  buffer.insert(" more", "paste");
  buffer.undo();
  expect(shown(buffer)).toBe("one two|");
  buffer.undo();
  expect(shown(buffer)).toBe("one |");
  buffer.redo();
  buffer.redo();
  expect(shown(buffer)).toBe("one twopasted more|");
  buffer.replace("");
  buffer.undo();
  expect(shown(buffer)).toBe("one twopasted more|");
});
