import { InvalidArgumentError } from "commander";

/** A whole number from 1 on. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It has to be a whole number from 1 on.");
  return Number(text);
}
