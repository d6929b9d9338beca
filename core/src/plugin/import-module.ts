import { pathToFileURL } from "node:url";

/** Imports a module by its path. Tests bring their own: a worker of theirs resolves imports in another way. */
export type ImportModule = (path: string) => Promise<unknown>;

export const importModule: ImportModule = (path) => import(pathToFileURL(path).href);
