import { expect, test } from 'vitest'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { ann, ben, openTestDatabase } from '../database/testing/open-test-database.ts'
import { eraseDevice } from './device-data.ts'

test('P8: whoever signs in next finds nothing of the person who signed out', async () => {
  const { database } = await openTestDatabase()
  const texts = createKeyValueStorage()
  const ofAnn = ['recentEmojis', 'userSettings', `first-load-done ${ann}`, `petrel-top-${ann}`]
  for (const key of [...ofAnn, `first-load-done ${ben}`]) texts.setItem(key, 'yes')
  await eraseDevice({ database, userId: ann, texts })
  const left = Array.from({ length: texts.length }, (_, index) => texts.key(index))
  expect(left).toEqual([`first-load-done ${ben}`])
})
