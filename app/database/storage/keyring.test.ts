import { expect, onTestFinished, test } from 'vitest'
import { createSeed, deriveAccountKeys } from '../../encryption/account-keys.ts'
import { openTestDatabase } from '../testing/open-test-database.ts'

const makeKeys = (number: number) => deriveAccountKeys({ seed: createSeed(), number })

test('keys are there at once after a reload, in every tab, the newest first', async () => {
  const { database, open } = await openTestDatabase()
  const tab = await open('second')
  expect(database.keyring.current()).toBeUndefined()
  const [first, second] = [makeKeys(1), makeKeys(2)]
  const heard: (number | undefined)[] = []
  tab.keyring.onChange(() => heard.push(tab.keyring.current()?.number))
  await database.keyring.set(second)
  expect(database.keyring.current()).toEqual(second)
  await database.keyring.set(first)
  expect(database.keyring.current()).toEqual(second)
  expect(database.keyring.former).toEqual([first])
  await expect.poll(() => tab.keyring.former).toEqual([first])
  expect(heard.at(-1)).toBe(2)
  expect(await tab.keyring.read()).toEqual(second)
  const reloaded = await open('third')
  expect(reloaded.keyring.current()).toEqual(second)
  expect(reloaded.keyring.former).toEqual([first])
})

test('a page keeps its keys when the storage is cleared under it, and writes none back', async () => {
  const { database, open } = await openTestDatabase()
  const own = makeKeys(1)
  await database.keyring.set(own)
  const tab = await open('second')
  await database.device.keyring.clear()
  const later = makeKeys(2)
  await database.keyring.set(later)
  await expect.poll(() => tab.keyring.current()).toEqual(later)
  for (const { keyring } of [database, tab]) expect(keyring.former).toEqual([own])
  expect(await database.device.keyring.toArray()).toEqual([{ _id: 2, keys: later }])
})

test('keys leave the device with the person', async () => {
  const { database, open } = await openTestDatabase()
  await database.keyring.set(makeKeys(1))
  await database.remove()
  const next = await open('next')
  onTestFinished(() => next.close())
  expect(await next.keyring.read()).toBeUndefined()
})
