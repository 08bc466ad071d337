/** The database in which a person's own message copies lie. */
export function nameMessagesDatabase(userId: string): string {
  return `messages-${userId}`
}

/** The database in which a person's own conversations lie. */
export function nameConversationsDatabase(userId: string): string {
  return `conversations-${userId}`
}

/** One of the many small databases that belong to one person each; the others are shared by all. */
export function isPersonalDatabase(name: string): boolean {
  return /^(messages|conversations)-/.test(name)
}

/** Names become folder names and URLs, so nothing but CouchDB's plain characters may be in them. */
export function isDatabaseName(name: string): boolean {
  return /^[a-z][a-z0-9_-]{0,199}$/.test(name)
}
