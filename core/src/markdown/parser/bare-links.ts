import type { StateInline } from "markdown-it";
import type { Link, PhrasingContent, Text } from "mdast";

/** The rest of an "extended web autolink" (GitHub's specification) after its scheme: a domain and what follows it. */
const WEB_ADDRESS = /:\/\/[-.\w\u0080-\uffff]+[^\s<]*/y;
const SCHEME = /(?<![a-z])https?$/i;

/** Addresses without a scheme: `www.` and mail. The parts of a mail address have a maximum length, to bound the cost. */
const WITHOUT_SCHEME = /(?<![\w/])www\.[-.\w]+[^\s<]*|(?<![-.\w+/])[-.\w+]{1,64}@[-\w]{1,64}(?:\.[-\w]{1,64}){1,8}/gi;

/** A rule for an address in running text that begins with http:// or https://. */
export function webAddress(state: StateInline, silent: boolean): boolean {
  // In silent mode the library looks for the end of a label, which an address would swallow.
  if (silent || state.src[state.pos] !== ":" || isInLink(state)) return false;
  const [scheme] = SCHEME.exec(state.src.slice(Math.max(0, state.pos - 6), state.pos)) ?? [];
  WEB_ADDRESS.lastIndex = state.pos;
  const [found] = scheme === undefined ? [] : (WEB_ADDRESS.exec(state.src.slice(0, state.posMax)) ?? []);
  if (scheme === undefined || found === undefined) return false;
  const rest = withoutTrail(found);
  state.pending = state.pending.slice(0, -scheme.length);
  state.push("link_open", "a", 1).attrs = [["href", scheme + rest]];
  state.push("text", "", 0).content = scheme + rest;
  state.push("link_close", "a", -1);
  state.pos += rest.length;
  return true;
}

/** The library's types lack `linkLevel`. */
function isInLink(state: StateInline & { readonly linkLevel?: number }): boolean {
  return (state.linkLevel ?? 0) > 0;
}

/** Splits text into nodes, with links for `www.` addresses and mail addresses. */
export function linkAddresses(text: string): PhrasingContent[] {
  if (!/www\.|@/i.test(text)) return [textNode(text)];
  const nodes: PhrasingContent[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(WITHOUT_SCHEME)) {
    const isMail = !/^www\./i.test(found);
    const address = isMail ? found : withoutTrail(found);
    if (isMail ? /[-_]$/.test(address) : !/^www\.[-\w]/i.test(address)) continue;
    if (index > at) nodes.push(textNode(text.slice(at, index)));
    nodes.push(linkNode(isMail ? `mailto:${address}` : `http://${address}`, address));
    at = index + address.length;
  }
  if (at < text.length) nodes.push(textNode(text.slice(at)));
  return nodes;
}

/** Removes punctuation at the end of an address that belongs to the sentence around it. */
function withoutTrail(address: string): string {
  let open = 0;
  for (const sign of address) open += sign === "(" ? 1 : sign === ")" ? -1 : 0;
  let end = address.length;
  for (; end > 0; end--) {
    const last = address.charAt(end - 1);
    if (last === ")" && open < 0) open++;
    else if (last === ";") {
      const [entity] = /&[a-z0-9]{1,32};$/i.exec(address.slice(Math.max(0, end - 34), end)) ?? [];
      if (entity === undefined) break;
      end -= entity.length - 1;
    } else if (!/[?!.,:*_~'"\]]/.test(last)) break;
  }
  return address.slice(0, end);
}

function textNode(value: string): Text {
  return { type: "text", value };
}

function linkNode(url: string, value: string): Link {
  return { type: "link", url, children: [textNode(value)] };
}
