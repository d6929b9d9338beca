/** Characters that turn the direction of writing, and so can make code read as what it is not. */
const CONTROLS = /([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/;

/** Code, with such characters shown by their numbers. */
export function VisibleControls({ text }: { text: string }) {
  return (
    <>
      {text.split(CONTROLS).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <mark key={index} title="A character that changes the direction of writing">
            {`U+${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`}
          </mark>
        ),
      )}
    </>
  );
}
