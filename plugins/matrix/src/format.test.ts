import { describe, expect, it } from "vitest";
import { render, TEXT_LIMIT, threadName } from "./format.ts";

const htmlOf = (markdown: string) => render({ kind: "answer", markdown })[0]?.extra?.html;

describe("formatting", () => {
  it.each([
    [
      "**bold** _slanted_ ~~struck~~ `a < b`",
      "<strong>bold</strong> <em>slanted</em> <del>struck</del> <code>a &lt; b</code>",
    ],
    ["# Title", "<h1>Title</h1>"],
    ["> said\n\nanswered", "<blockquote><p>said</p></blockquote><p>answered</p>"],
    ["- [x] done\n- [ ] open", "<ul><li>☑ done</li><li>☐ open</li></ul>"],
    ["3. three\n4. four", '<ol start="3"><li>three</li><li>four</li></ol>'],
    ["- a\n  - b", "<ul><li>a<ul><li>b</li></ul></li></ul>"],
    ["```ts\nif (a < b) {}\n```", '<pre><code class="language-ts">if (a &lt; b) {}\n</code></pre>'],
    ['[a "link"](https://x.yz/?a=1&b=2)', '<a href="https://x.yz/?a=1&amp;b=2">a &quot;link&quot;</a>'],
    ["[a file](/etc/hosts) and **more**", "a file (<code>/etc/hosts</code>) and <strong>more</strong>"],
    ["![a cat](https://x.yz/cat.png)", '<a href="https://x.yz/cat.png">a cat</a>'],
    ["[text][1] **b**\n\n[1]: https://x.yz", '<a href="https://x.yz">text</a> <strong>b</strong>'],
    [
      "| a | b |\n| - | - |\n| 1 | **2** |",
      "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table>",
    ],
    ["one  \n**two**", "one<br><strong>two</strong>"],
    ["<script>alert(1)</script> **x**", "<p>&lt;script&gt;alert(1)&lt;/script&gt; **x**</p>"],
    ["<p>\none\n</p>", "<p>&lt;p&gt;<br>one<br>&lt;/p&gt;</p>"],
  ])("turns %j into the HTML that apps permit", (markdown, html) => {
    expect(htmlOf(markdown)).toBe(html);
  });

  it.each([
    ["Just words.", "Just words."],
    ["One.\n\nTwo & three.", "One.\n\nTwo & three."],
    ["2 \\* 3 \\_is\\_ < 7", "2 * 3 _is_ < 7"],
  ])("text without markup has no formatted body: %j", (markdown, text) => {
    expect(render({ kind: "answer", markdown })).toEqual([{ text }]);
  });

  it("drops a link without a text whose address is only spaces", () => {
    expect(htmlOf("**a** [](< >)")).toBe("<strong>a</strong> ");
  });

  it("marks a notice as a notice for apps", () => {
    expect(render({ kind: "notice", markdown: "Stopped." })).toEqual([
      { text: "Stopped.", extra: { msgtype: "m.notice" } },
    ]);
  });
});

describe("a long answer", () => {
  it("a long answer is split without breaking code blocks, and loses nothing", () => {
    const markdown = `Before.\n\n\`\`\`js\n${"const a = 1; // <b>\n".repeat(4_000)}\`\`\`\n\nAfter.`;
    const pieces = render({ kind: "answer", markdown });
    expect(pieces.length).toBeGreaterThan(1);
    for (const { text, extra } of pieces) {
      const size = Buffer.byteLength(JSON.stringify(text)) + Buffer.byteLength(JSON.stringify(extra?.html ?? ""));
      expect(size).toBeLessThanOrEqual(TEXT_LIMIT.length);
      expect(text.split("```").length % 2).toBe(1);
    }
    const lines = pieces.flatMap(({ text }) => text.split("\n")).filter((line) => line.startsWith("const"));
    expect(lines).toHaveLength(4_000);
  });

  it("sends a long answer without HTML that would be far longer than its text", () => {
    const markdown = `${"[a][1] ".repeat(60)}\n\n[1]: https://x.yz/?${"&".repeat(400)}`;
    const pieces = render({ kind: "answer", markdown });
    expect(pieces.map(({ extra }) => extra)).toEqual([undefined]);
    expect(pieces[0]?.text).toBe(markdown);
  });

  it("makes no pieces of an answer of nothing but spaces", () => {
    expect(render({ kind: "answer", markdown: " \n\n " })).toEqual([]);
  });
});

describe("the name of a thread", () => {
  it.each([
    ["  ", "New session"],
    ["one\ntwo\t three", "one two three"],
    ["x".repeat(200), `${"x".repeat(119)}…`],
  ])("makes one line of the thread name %j", (title, name) => {
    expect(threadName(title)).toBe(name);
  });

  it("the name of a thread is cut between characters", () => {
    expect(threadName("👩‍👩‍👧".repeat(40))).toMatch(/^(👩‍👩‍👧)+…$/u);
  });
});
