/** For tests of what is sent and shown: everybody may read it. */
export const EVERYBODY = { mayRead: async () => true, reading: async () => ({ may: true }) };

/** For tests that send no file. */
export const NO_FILES = { read: async () => null };
