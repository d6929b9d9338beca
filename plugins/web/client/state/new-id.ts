/** The same id on every try makes a request one. `crypto.randomUUID` is missing where the page comes by plain HTTP. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
