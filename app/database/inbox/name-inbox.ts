/** The inbox's database. The prefix has the person's id, so that an owed erasure finds it. */
export const nameInbox = (prefix: string) => `${prefix}-inbox`
