import { safeLink } from "@hermes/core/markdown";
import { check, shown } from "../check.ts";
import { type KitProof, NotClaimed } from "../proof.ts";

/** Addresses that on a tap would run code, act in an app, call somebody, or open a file. */
const unsafeAddresses = (platform: string) => [
  ...["javascript:alert(1)", "JavaScript:alert(2)", "data:text/html,hi", "vbscript:x", "file:///etc/passwd"],
  ...[`${platform}://open`, "tg://resolve?domain=x", "ton://transfer/x", "sgnl://x", "intent://x", "ms-settings:x"],
  ...["tel:+123", "sms:+123", "ftp://example.org/x", "magnet:?xt=x", "./b.md"],
];

/** Every Markdown syntax for a link. */
const FORMS: readonly ((word: string, url: string) => string)[] = [
  (word, url) => `[${word}](${url})`,
  (word, url) => `[**${word}**](<${url}> "Click")`,
  (word, url) => `${word} <${url}>`,
  (word, url) => `![${word}](${url})`,
  (word, url) => `[${word}][r${word}]\n\n[r${word}]: ${url}`,
  (word, url) => `${word} ${url}`,
];

export const linkProofs: readonly KitProof[] = [
  {
    id: "links/schemes",
    rule: "Guarantee: a link opens a page or a mail and nothing else",
    proof: "only http, https and mailto addresses become links; the text of other links is still shown",
    async play(on) {
      await on.gateway();
      const words: string[] = [];
      const unsafe = unsafeAddresses(on.subject.name).flatMap((url) =>
        FORMS.map((form) => {
          words.push(`word${words.length}x`);
          return form(words.at(-1) ?? "", url);
        }),
      );
      const safe = "[a page](https://example.org/page)";
      on.model.push([safe, ...unsafe, "The end."].join("\n\n"));
      await on.write("Show me links.");
      await on.until("all of it is said", () => on.said().join("\n").includes("The end."));
      const messages = on.botMessages();
      const links = messages.flatMap((message) => message.links ?? []);
      if (messages.every((message) => message.links === undefined)) {
        throw new NotClaimed("Its emulator knows no links but bare addresses");
      }
      check(links.includes("https://example.org/page"), () => `the page is no link; there are ${shown(links)}`);
      const wrong = links.filter((url) => safeLink(url) === null);
      check(wrong.length === 0, () => `people can open ${shown(wrong)}`);
      const said = on.said().join("\n");
      const lost = words.filter((word) => !said.includes(word));
      check(lost.length === 0, () => `these words are not read any more: ${shown(lost)}`);
    },
  },
];
