import { inject, Lifecycle, scoped } from "tsyringe";
import { guestAt } from "../../handoff/session-readers.ts";
import { seesCalls } from "../../model/session.ts";
import { authorAt } from "../../store/author-at.ts";
import { currentRights } from "../../store/current-rights.ts";
import { STORE, type Store } from "../../store/store.ts";
import { TOOL_POLICY, type ToolPolicy } from "../../turn/tool-policy.ts";
import { ChatReaders, type ReadAt } from "../account/chat-readers.ts";

/** Says, at each use, who may see the calls of tools in a session. */
@scoped(Lifecycle.ContainerScoped)
export class CallReaders {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(TOOL_POLICY) readonly policy: Pick<ToolPolicy, "visibilityOf">,
    @inject(ChatReaders) readonly readers: Pick<ChatReaders, "mayRead">,
  ) {}

  /**
   * Whether nobody but operators reads a place: tools act for them, and what tools put out is theirs. So it is the rule by
   * which a place sees all sessions; and whoever is known to write there is an operator at this moment, and no guest.
   */
  async mayRead(at: ReadAt): Promise<boolean> {
    const { store, policy } = this;
    const { key, conversation, sessionId } = at;
    if (sessionId === null || conversation.kind !== "dm" || (await this.readers.mayRead(at)) !== true) return false;
    if (!seesCalls(await policy.visibilityOf({ surface: key, author: null }))) return false;
    if ((await guestAt(store, { key, sessionId })) !== null) return false;
    const author = await authorAt(store, { key, conversation });
    return author === null || (await currentRights(store, author)).mayDo("operators-command").ok;
  }
}
