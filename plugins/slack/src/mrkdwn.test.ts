import { describe, expect, it } from "vitest";
import { plainText, toMarkdown } from "./mrkdwn.ts";

const names = {
  user: async (id: string) => (id === "U1" ? "Ada" : undefined),
  channel: async (id: string) => (id === "C1" ? "team" : undefined),
};

describe("what a person writes in Slack reaches the agent as Markdown", () => {
  it.each([
    ["*bold* and _italic_ and ~gone~", "**bold** and _italic_ and ~~gone~~"],
    ["*_both_*", "**_both_**"],
    ["(*bold*), *bold*!", "(**bold**), **bold**!"],
    ["see <https://a.b/c?d&amp;e|the page>", "see [the page](https://a.b/c?d&e)"],
    ["<https://a.b> and <http://example.com|example.com>", "https://a.b and example.com"],
    ["<mailto:ada@a.b|ada@a.b>", "ada@a.b"],
    ["<@U1>, <@U2|bob>, <@U3>", "@Ada, @bob, @U3"],
    ["<#C1|> <#C1> <#C2|other>", "#team #team #other"],
    ["<!here> <!subteam^S1|@ops> <!date^1392734382^{date}|18 Feb>", "@here @ops 18 Feb"],
    ["1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"],
    ["&amp;lt;", "&lt;"],
  ])("%s", async (mrkdwn, markdown) => {
    expect(await toMarkdown(mrkdwn, names)).toBe(markdown);
  });

  it.each([
    "2 * 3 * 4",
    "a*b*c and snake_case_name and ~/bin",
    "*not closed",
    "* item one\n* item two",
    "**",
    "5 * 3 = 15, really *",
    "*over\na line*",
  ])("leaves what is no markup as it is: %s", async (text) => {
    expect(await toMarkdown(text, names)).toBe(text);
  });

  it("leaves code alone", async () => {
    expect(await toMarkdown("`*a* _b_ &lt;c&gt;` *d*", names)).toBe("`*a* _b_ <c>` **d**");
    expect(await toMarkdown("```\nif (*p &amp;&amp; *q) { _x_ }\n```", names)).toBe("```\nif (*p && *q) { _x_ }\n```");
    expect(await toMarkdown("```one line```", names)).toBe("```\none line\n```");
  });
});

describe("what people read of Slack's markup", () => {
  it("plainText removes Slack's markup", () => {
    expect(plainText("*Hi* <@U1>, see <https://a.b|this> or `x_y_z`:\n&gt; _quote_")).toBe(
      "Hi @U1, see this or x_y_z:\n> quote",
    );
  });

  it("unclosed marks are read without delay", () => {
    const startedAt = performance.now();
    plainText("*a _b ~c ".repeat(5_000));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
