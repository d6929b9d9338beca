import { InvalidArgumentError } from "commander";

/** A whole number from 1 on, of nine digits at most: what it stands for fits a timer. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It has to be a whole number from 1 to 999999999.");
  return Number(text);
}

/** A port; 0 stands for any that is free. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError("It has to be a port: a whole number from 0 to 65535.");
  return port;
}
