import { expect, test } from 'vitest'
import { readFileFacts } from './read-file-facts.ts'

test('a name shows its letters in the order in which they are stored, so that a program looks like one', () => {
  const file = { name: 'harbour\u202egpj.exe', size: 5, mimeType: 'image/jpeg' }
  expect(readFileFacts({ file })).toEqual({ name: 'harbourgpj.exe', size: 5 })
})

test('a file that nobody described still has a name', () => {
  expect(readFileFacts({})).toEqual({ name: 'File', size: undefined })
})
