import type { AdapterReport } from "./report.ts";

const LABEL = "proofs";
const HEIGHT = 20;
/** About the width of a character of the font, in pixels, and the room at both sides of a text. */
const CHARACTER = 7;
const ROOM = 6;

/** Draws a small picture for a README: `proofs 61/61`, of those that the adapter claims. */
export function badgeOf({ passed, failed }: Pick<AdapterReport, "passed" | "failed">): string {
  const value = `${passed}/${passed + failed}`;
  const [left, right] = [widthOf(LABEL), widthOf(value)];
  const colour = failed === 0 && passed > 0 ? "#2e7d32" : "#c62828";
  const text = (x: number, content: string) => `<text x="${x}" y="14" text-anchor="middle">${content}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${LABEL} ${value}">
<title>${LABEL} ${value}</title>
<rect width="${left + right}" height="${HEIGHT}" rx="3" fill="${colour}"/>
<path d="M3 0h${left - 3}v${HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
${text(left / 2, LABEL)}
${text(left + right / 2, value)}
</g>
</svg>
`;
}

function widthOf(text: string): number {
  return text.length * CHARACTER + 2 * ROOM;
}
