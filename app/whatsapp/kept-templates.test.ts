import { expect, test } from 'vitest'
import { createKeyValueStorage } from '../database/storage/key-value-storage.ts'
import { builtInTemplates, keepTemplates, readKeptTemplates } from './channel-dialogs.tsx'

const own = [{ ...builtInTemplates[0], id: '1', name: 'own', components: [] }] as never

test('before the server’s first answer there are the built-in two', () => {
  const names = readKeptTemplates(createKeyValueStorage(), 'ann').map(({ name }) => name)
  expect(names).toEqual(['hello_world', 'order_confirmation'])
})

test('stores the server’s templates for each person, also an empty list', () => {
  const texts = createKeyValueStorage()
  keepTemplates(texts, 'ann', own)
  keepTemplates(texts, 'ben', [])
  expect(readKeptTemplates(texts, 'ann')).toEqual(own)
  expect(readKeptTemplates(texts, 'ben')).toEqual([])
})

test('unreadable or full storage breaks nothing', () => {
  const getItem = () => '{"broken'
  expect(readKeptTemplates({ getItem }, 'ann')).toBe(builtInTemplates)
  const setItem = () => {
    throw new Error('The disk is full.')
  }
  keepTemplates({ setItem }, 'ann', own)
})
