interface Props {
  /** Null where there is no page that way. */
  readonly onBack: (() => void) | null;
  readonly onNext: (() => void) | null;
}

/** The way through a list that is read page by page. */
export function Pages({ onBack, onNext }: Props) {
  if (onBack === null && onNext === null) return null;
  return (
    <nav class="actions pages" aria-label="Pages">
      <button type="button" class="button small" aria-disabled={onBack === null} onClick={() => onBack?.()}>
        Earlier page
      </button>
      <button type="button" class="button small" aria-disabled={onNext === null} onClick={() => onNext?.()}>
        Next page
      </button>
    </nav>
  );
}
