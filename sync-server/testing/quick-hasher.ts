import { createPasswordHasher } from '../access/password-hasher.ts'

/**
 * A hasher for all apps of a test process: starting its threads takes longer than a test's few
 * passwords. Its threads end with the process.
 */
export const quickHasher = { ...createPasswordHasher({ cost: 4 }), close: async () => {} }
