/** The name that was probably meant, or null when none is close. */
export function nearMiss(typed: string, names: readonly string[]): string | null {
  const longer = typed.length >= 3 ? names.filter((name) => name.startsWith(typed)) : [];
  if (longer.length === 1 && longer[0] !== undefined) return longer[0];
  const allowed = typed.length <= 4 ? 1 : 2;
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = editDistance(typed, name);
    if (distance <= allowed && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

/** The edit distance of `a` and `b`: letters to insert, delete, replace or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const options = [at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (same ? 0 : 1)];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) options.push(at(beforeLast, column - 2) + 1);
      current.push(Math.min(...options));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
