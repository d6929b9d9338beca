let segmenter: Intl.Segmenter | null = null;

/**
 * Splits a text into grapheme clusters, characters as people see them. Whatever splits texts asks here: the first
 * segmenter of a process takes about 10 ms to make, which a process that shows none but simple texts never needs.
 */
export function graphemeClusters(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}
