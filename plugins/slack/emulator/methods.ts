import { chatMethods } from "./chat-methods.ts";
import type { EventFeed } from "./event-feed.ts";
import { fileMethods } from "./file-methods.ts";
import { lookupMethods } from "./lookup-methods.ts";
import type { Params } from "./params.ts";
import type { Workspace } from "./workspace.ts";

/** A file that is on its way. */
interface Upload {
  readonly name: string;
  readonly length: number;
  content: Buffer | null;
}

export interface MethodContext {
  readonly workspace: Workspace;
  readonly feed: EventFeed;
  /** Where the emulator is reached. */
  readonly url: string;
  readonly uploads: Map<string, Upload>;
}

/** Methods of the Web API by their names. Each returns what stands beside `ok: true`, or throws a Refusal. */
export type Methods = Readonly<
  Record<string, (params: Params, context: MethodContext) => Readonly<Record<string, unknown>>>
>;

/** What a bot token may call. */
export const METHODS: Methods = { ...chatMethods, ...lookupMethods, ...fileMethods };
