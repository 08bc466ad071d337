import { expect, test } from 'vitest'
import { readFileFacts } from './read-file-facts.ts'

test('a name shows its letters in stored order, so that a program looks like one', () => {
  const file = { name: 'harbour\u202egpj.exe', size: 5, mimeType: 'image/jpeg' }
  expect(readFileFacts({ file })).toEqual({ name: 'harbourgpj.exe', size: 5 })
})

test('a file without a description still has a name', () => {
  expect(readFileFacts({})).toEqual({ name: 'File', size: undefined })
})
