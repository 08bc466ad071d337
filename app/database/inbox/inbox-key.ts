/** The inbox's database. The prefix has the person's id, so that an owed erasure finds it. */
export const inboxKey = (prefix: string) => `${prefix}-inbox`
