import { toString as textOf } from "mdast-util-to-string";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../markdown/parse-markdown.ts";
import { describeSession, renderStateCard } from "./session-state.ts";
import type { NewMessage } from "./transcript.ts";
import { NOTHING_KNOWN } from "./work-state.ts";

const SESSION = { title: "Fix the parser", workingDirectory: "/home/ada/parser", model: "anthropic/claude-sonnet-4-5" };

const TRANSCRIPT: NewMessage[] = [
  { role: "user", text: "Why does the\nparser fail?" },
  { role: "assistant", text: "", toolCalls: [{ id: "1", name: "read", input: {} }] },
  { role: "tool", text: "…", toolCallId: "1" },
  { role: "assistant", text: "A comma is missing." },
  { role: "user", text: "Mend it" },
  { role: "assistant", text: "Running.", toolCalls: [{ id: "1", name: "write", input: {} }] },
  { role: "user", text: "The session moved.", internal: true },
];

describe("the state of a session", () => {
  it("the state counts messages, requests and open calls, without Hermes' own rows", () => {
    const state = describeSession(SESSION, TRANSCRIPT);
    expect(state).toMatchObject({
      title: "Fix the parser",
      messageCount: 5,
      toolCallCount: 2,
      firstRequest: "Why does the parser fail?",
      lastRequest: "Mend it",
    });
    expect(state.openToolCalls.map((call) => call.name)).toEqual(["write"]);
  });

  it("the state card lists the facts of a session", () => {
    expect(renderStateCard(describeSession(SESSION, TRANSCRIPT))).toBe(
      [
        "**Fix the parser**",
        "",
        "- 5 messages, 2 tool calls",
        "- Working directory: `/home/ada/parser`",
        "- Model: `anthropic/claude-sonnet-4-5`",
        "- First request: “Why does the parser fail?”",
        "- Last request: “Mend it”",
        "- Without a result: 1 tool call (`write`)",
      ].join("\n"),
    );
  });

  it("the card names the model that said where the work stands", () => {
    const kept = { ...NOTHING_KNOWN, model: "openai/gpt-5.4", at: 0 };
    const card = renderStateCard(describeSession({ ...SESSION, model: null }, TRANSCRIPT, [], kept));
    expect(card).toContain("- Model: `openai/gpt-5.4`\n");
    expect(renderStateCard(describeSession({ ...SESSION, model: null }, TRANSCRIPT))).not.toContain("Model:");
  });

  it("the card shows a mode, an open question and the to-do list", () => {
    const items = [
      { text: "write a *test*", state: "done" },
      { text: "mend it", state: "doing" },
      { text: "say so", state: "open" },
    ];
    const messages: NewMessage[] = [
      { role: "assistant", text: "", toolCalls: [{ id: "1.1", name: "todo", input: { items } }] },
      { role: "tool", text: "…", toolCallId: "1.1" },
    ];
    const question = { code: "k3mxp", kind: "call", tool: "shell", summary: "npm test" } as const;
    const card = renderStateCard(describeSession({ ...SESSION, mode: "plan" }, messages, [question]));
    expect(card).toContain("- Mode: plan\n");
    expect(card).toContain("- Waits for an answer: `shell: npm test` (code k3mxp)\n");
    expect(card).toContain("- To do: 1 of 3 done\n  - ✓ write a \\*test\\*\n  - ▸ mend it\n  - · say so");
  });

  it("the card of an empty session says that nothing was asked yet", () => {
    const card = renderStateCard(describeSession({ title: null, workingDirectory: null, model: null }, []));
    expect(card).toBe("**Untitled session**\n\n- 0 messages, 0 tool calls\n- Nothing was asked yet");
  });

  it("a long request is shortened without cutting an emoji in two", () => {
    const { firstRequest } = describeSession(SESSION, [{ role: "user", text: "🇫🇷".repeat(100) }]);
    expect(firstRequest?.length).toBeLessThanOrEqual(160);
    expect(firstRequest).toMatch(/^(🇫🇷)+…$/u);
  });

  it.each([
    "# a heading\n- [ ] list <b>html</b> &amp; `code` | x",
    "**bold** ~~gone~~ [click](https://evil.example) ![i](x)",
    "\u001b[2J\u202eevil\n\n> quote",
    "```\nfence",
    "1. one",
  ])("the card shows a request literally, without rendering its markup: %j", (text) => {
    const state = describeSession({ ...SESSION, title: text }, [{ role: "user", text }]);
    const tree = parseMarkdown(renderStateCard(state));
    expect(tree.children.map((node) => node.type)).toEqual(["paragraph", "list"]);
    const request = JSON.stringify(tree.children[1]);
    expect(textOf(tree)).toContain(`Request: “${state.firstRequest}”`);
    expect(request).not.toMatch(/"type":"(heading|strong|delete|image|html|blockquote|code|break)"/);
    expect(renderStateCard(state)).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
  });
});
