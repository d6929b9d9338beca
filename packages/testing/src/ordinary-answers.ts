import { ordinaryMarkdown } from "./ordinary-markdown.ts";

/** Long answers as models write them, each of one kind; `write` returns about `length` UTF-16 units. */
export const ORDINARY_ANSWERS: readonly { readonly name: string; write(length: number): string }[] = [
  answer("a list of bold words", (at) => `- **Item ${at}**: a short description of what it is and why\n`),
  answer("a list of short items", (at) => `- item ${at}\n`),
  answer("a list of bold numbers", (at) => `- **${at}**: a word\n`),
  answer(
    "a table",
    (at) => `| file-${at}.ts | module | ${at * 37} | \`yes\` |\n`,
    "| Name | Kind | Size | Note |\n|---|:--|--:|---|\n",
  ),
  answer("a narrow table", (at) => `| ${at} | ${at * 2} |\n`, "| a | b |\n|---|---|\n"),
  answer("small tables", (at) => `### Table ${at}\n\n| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n\n`),
  answer("code blocks", (at) => `\`\`\`ts\nfunction f${at}(a: number) {\n  return a;\n}\n\`\`\`\n\nThat was it.\n\n`),
  answer("numbered links", (at) => `${at}. [Source ${at}](https://example.org/articles/${at}) - what it says of it\n`),
  answer("bare links", (at) => `- https://example.org/articles/${at}?a=b\n`),
  answer("links named afar", (at) => `As shown in [the paper ${at}][${at}].\n\n[${at}]: https://example.org/${at}\n\n`),
  answer("footnotes", (at) => `It is so.[^${at}] And so on it goes here.\n\n[^${at}]: Somebody, ${at}.\n\n`),
  answer(
    "lists nested five deep",
    (at) => `- Topic ${at}\n  - Part\n    - Detail **bold**\n      - More detail\n        - The deepest \`code\`\n`,
  ),
  answer(
    "numbers with lists below",
    (at) => `${at}. Topic ${at}\n   - Part of it\n     - Detail **bold**\n       - More\n`,
  ),
  answer("emoji", (at) => `## 🚀 Step ${at}\n\n- ✅ **Done**: great 🎉 work 👩‍💻\n- ❌ *Not* done 😀\n\n`),
  answer(
    "Chinese",
    (at) => `## 第${at}章\n\n这是**重要**的段落，有\`代码\`和[链接](https://example.org/${at})。\n\n- 一\n- 二\n\n`,
  ),
  answer("quotes", (at) => `> **Note ${at}**: mind the gap, and read this twice.\n\nText.\n\n`),
  answer("tasks", (at) => `- [${at % 2 ? "x" : " "}] Do thing number ${at} soon\n`),
  answer(
    "styles",
    (at) => `This is **bold ${at}**, *italic*, ~~gone~~, \`code\` and [a link](https://a.example/${at}). `,
  ),
  answer("prose", (at) => `Paragraph ${at} goes on for a while, as prose does; it has commas, and stops.\n\n`),
  answer("formulas", (at) => `Let $x_{${at}} = a_{i}^2 * b_i$ and \\(y_i\\), so that \\[x_i * y_i < 5 & z\\]\n\n`),
  answer("HTML", (at) => `<details><summary>More ${at}</summary>\n\nHidden <b>text</b><br>here\n\n</details>\n\n`),
  answer("data", (at) => `{"id": ${at}, "name": "a_b_c", "list": [1, 2, 3]}, `),
  { name: "some of everything", write: ordinaryMarkdown },
];

function answer(name: string, piece: (at: number) => string, head = "") {
  return {
    name,
    write(length: number): string {
      let text = head;
      for (let at = 1; text.length < length; at++) text += piece(at);
      return text;
    },
  };
}
