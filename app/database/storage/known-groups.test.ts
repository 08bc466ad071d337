import { expect, test } from 'vitest'
import { ben, openTestDatabase } from '../testing/open-test-database.ts'
import { testGroup } from '../testing/test-user.ts'

const group = testGroup()

test('a group that a device was told of is known at once, in its other tabs, and after a start', async () => {
  const { database, open } = await openTestDatabase()
  const other = await open('second')
  expect(database.groups.has(ben)).toBe(false)
  const heard: (readonly string[])[] = []
  other.groups.onChange((ids) => heard.push(ids))

  const stored = database.groups.take([group])
  expect(database.groups.get(ben)).toEqual(group)
  await stored
  await expect.poll(() => other.groups.get(ben)).toEqual(group)
  expect((await open('third')).groups.has(ben)).toBe(true)

  // The same again says nothing new.
  await database.groups.take([{ ...group }])
  await database.groups.take([{ ...group, name: 'Walks on Sunday' }])
  await expect.poll(() => other.groups.get(ben)?.name).toBe('Walks on Sunday')
  expect(heard).toEqual([[ben], [ben]])
})
