import { expect, it } from "vitest";
import { Output } from "../../terminal/output.ts";
import { createTestTerminal } from "../test-terminal.ts";
import { questionLines, questionRow, type ShownQuestion } from "./question-view.ts";

const { io } = createTestTerminal({ home: "/", workingDirectory: "/", interactive: true });

const EDIT: ShownQuestion = {
  ...{ code: "k3mxp", kind: "call", tool: "edit", summary: "src/a.ts +1 −1", rules: [], answers: [] },
  detail: "src/a.ts\n@@ -1,2 +1,2 @@\n-old\n+new\u202e\n keep",
  messages: [
    {
      kind: "question",
      markdown:
        "**May the agent use edit?**\n\n```\nsrc/a.ts +1 −1\n```\n\nOn box, in `/work`, for “mend it”.\n\nAnswer yes or no.",
    },
  ],
};

const shown = (question: ShownQuestion, color = false, place = { at: 1, of: 1 }) =>
  questionLines(new Output({ ...io, color }, { json: false }), question, place)
    .map((line) => (typeof line === "string" ? line : line.ansi))
    .join("\n");

it("a question shows the whole diff, where it runs and what for", () => {
  const text = shown(EDIT, false, { at: 2, of: 3 });
  expect(text).toContain(
    "── The agent asks to do this (2 of 3) ──\n│ src/a.ts\n│ @@ -1,2 +1,2 @@\n│ -old\n│ +new\\u202e\n",
  );
  expect(text).toContain("On box, in `/work`, for “mend it”.");
  expect(text).not.toContain("Answer yes or no");
});

it("the lines of a diff are coloured, those of a command are not", () => {
  expect(shown(EDIT, true)).toContain("\u001b[32m+new\\u202e\u001b[39m");
  expect(shown(EDIT, true)).toContain("\u001b[31m-old\u001b[39m");
  const command = shown({ ...EDIT, tool: "shell", detail: "echo a\n+b" }, true);
  expect(command).not.toContain("\u001b[32m");
});

it("a call that its summary says whole is not shown twice", () => {
  expect(shown({ ...EDIT, summary: "npm test", detail: "npm test\n" })).not.toContain("│");
});

it("control characters of a call reach the terminal by their numbers", () => {
  const text = shown({ ...EDIT, detail: "a\u001b[2J\u0007b\nc" });
  expect(text).toContain("│ a\\u001b[2J\\u0007b");
  expect(text).not.toContain("\u001b");
});

it("the row above the input says what is asked, and the code", () => {
  const output = new Output(io, { json: false });
  expect(questionRow(output, EDIT).ansi).toBe("edit: src/a.ts +1 −1 k3mxp");
});

it("a question that is too long for its row ends with an ellipsis before the code", () => {
  const output = new Output({ ...io, columns: () => 20 }, { json: false });
  expect(questionRow(output, EDIT).ansi).toBe("edit: src/… k3mxp");
});
