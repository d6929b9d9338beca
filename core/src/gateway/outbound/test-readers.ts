/** For tests of what is sent and shown: everybody may read it. */
export const EVERYBODY = { mayRead: async () => true };
