/** The database of a person's own message copies. */
export function nameMessagesDatabase(userId: string): string {
  return `messages-${userId}`
}

/** The database of a person's own conversations. */
export function nameConversationsDatabase(userId: string): string {
  return `conversations-${userId}`
}

/** A group's own record, its messages and its lines. */
export function nameGroupDatabase(groupId: string): string {
  return `group-${groupId}`
}

/** The newest place of a group, and what lies at each. */
export function nameGroupOrderDatabase(groupId: string): string {
  return `group-order-${groupId}`
}

/** Is it one of the small databases of a single person? All others are shared. */
export function isPersonalDatabase(name: string): boolean {
  return /^(messages|conversations)-/.test(name)
}

/** Names become folder names and URLs, so they contain only CouchDB's plain characters. */
export function isDatabaseName(name: string): boolean {
  return /^[a-z][a-z0-9_-]{0,199}$/.test(name)
}
