/** Mixed Markdown as a model writes it, about `length` UTF-16 units: the baseline for hostile Markdown. */
export function ordinaryMarkdown(length: number): string {
  let text = "";
  for (let at = 1; text.length < length; at++) text += section(at);
  return text.slice(0, length);
}

function section(at: number): string {
  return `## Section ${at}

The tide turns at **noon**, and _low water_ is at six; see [the table](https://example.org/tides?day=${at}) or
\`tide --at ${at}\`. This is the second line of an ordinary paragraph, as people write them, and it goes on for a while.

- one thing, with **bold** words
- another thing
  - and one below it

1. first
2. second

| name | value |
| ---- | ----: |
| high | ${at} |
| low  | 2 |

\`\`\`ts
const tide = ${at};
return tide;
\`\`\`

> A quote of somebody, over
> two lines.

`;
}
