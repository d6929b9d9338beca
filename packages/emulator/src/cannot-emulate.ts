import { brandOf, hasBrand } from "@hermes/core/internal";

const CANNOT_EMULATE = brandOf("CannotEmulate");

/** Thrown by an emulator for something that its platform does not have, such as an edit or a rate limit. */
export class CannotEmulate extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "CannotEmulate";
    Object.defineProperty(this, CANNOT_EMULATE, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, CANNOT_EMULATE);
  }
}
