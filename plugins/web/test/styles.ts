import type { Locator } from "playwright-core";

/** A property of an element as the browser computed it. */
export function styleOf(locator: Locator, property: string): Promise<string> {
  return locator.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
}

/** The contrast of two colours as WCAG 2 defines it (4.5 is enough for text), and which of them is the lighter. */
export function contrastOf(text: string, background: string): { ratio: number; isTextLighter: boolean } {
  const [a, b] = [luminanceOf(text), luminanceOf(background)];
  return { ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), isTextLighter: a > b };
}

/** Of `rgb(r, g, b)`. */
function luminanceOf(color: string): number {
  const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map((value) => {
    const share = Number(value) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
