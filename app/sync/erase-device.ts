import type { KeyValueStorage } from '../database/storage/key-value-storage.ts'
import type { PetrelDatabase } from '../database/storage/open-database.ts'
import { lastSyncedKey } from './connection.ts'
import { settingsTextKey } from './own-settings.ts'

/**
 * Deletes all of a person's data on this device: every collection, replication metadata, drafts.
 */
export async function eraseDevice(options: {
  database: PetrelDatabase
  userId: string
  texts?: KeyValueStorage
}): Promise<void> {
  const { database, userId, texts } = options
  const keys = Array.from({ length: texts?.length ?? 0 }, (_, index) => texts?.key(index) ?? '')
  for (const key of keys) {
    const isOwn =
      key.startsWith(`petrel-draft-${userId}-`) ||
      [`petrel-templates-${userId}`, lastSyncedKey(userId), settingsTextKey].includes(key)
    if (isOwn) texts?.removeItem(key)
  }
  await database.remove()
}
