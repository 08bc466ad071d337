import type { KeyValueStorage } from '../../database/storage/key-value-storage.ts'

/** Where the page finds the settings before the database opens. Source: decision 61, section 9. */
export const settingsTextKey = 'userSettings'

/** The emoji picked on this device, by whoever was signed in. */
export const recentEmojiKey = 'recentEmojis'

/** The texts of whoever is signed in that name nobody. */
export const namelessKeys = [settingsTextKey, recentEmojiKey]

/** Where changes of settings lie until the database has them. */
export const settingsNoteKey = (userId: string) => `petrel-settings-${userId}`

export const lastSyncedKey = (userId: string) => `petrel-synced-${userId}`

/** Which chats stood on top of the list. */
export const topChatsKey = (userId: string) => `petrel-top-${userId}`

/** How much of the files a device keeps for a person. */
export const fileKeepingKey = (userId: string) => `petrel-keep-${userId}`

/** The keys of a person's texts in `localStorage`, without those that name nobody. */
export function listOwnTexts(texts: KeyValueStorage, userId: string): string[] {
  const keys = Array.from({ length: texts.length }, (_, index) => texts.key(index) ?? '')
  const own = [lastSyncedKey, topChatsKey, settingsNoteKey, fileKeepingKey].map((nameKey) =>
    nameKey(userId),
  )
  return keys.filter(
    (key) =>
      key === `petrel-templates-${userId}` ||
      key === `first-load-done ${userId}` ||
      key.startsWith(`petrel-draft-${userId}-`) ||
      own.includes(key),
  )
}
