/** Writes the platform's name where the template has its own, `acme`: in each of the ways in which code spells a name. */
export function named(text: string, name: string): string {
  const words = name.split("-");
  const capital = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
  const pascal = words.map(capital).join("");
  const camel = `${pascal.slice(0, 1).toLowerCase()}${pascal.slice(1)}`;
  return (
    text
      // A type or a class, and the name in a sentence.
      .replace(/\bAcme(?=[A-Z])/g, pascal)
      .replace(/\bAcme\b/g, words.map(capital).join(" "))
      .replace(/\bACME(?=_)/g, words.join("_").toUpperCase())
      // A constant or a function; anything else is a word in a text.
      .replace(/\bacme(?=Options\b|\()|(?<=const )acme\b|(?<=import \{ )acme(?= \})/g, camel)
      .replace(/\bacme\b/g, name)
  );
}
