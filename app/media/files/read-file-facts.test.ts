import { expect, test } from 'vitest'
import { readFileFacts } from './file-facts.ts'

test('a name shows its letters in stored order, so that a program looks like one', () => {
  const file = { name: 'harbour\u202egpj.exe', size: 5, mimeType: 'image/jpeg' }
  expect(readFileFacts({ file })).toEqual({ name: 'harbourgpj.exe', size: 5, kind: 'EXE' })
})

test('a file without a description still has a name', () => {
  expect(readFileFacts({})).toEqual({ name: 'File', size: undefined, kind: undefined })
})

test.each([
  ['tides.pdf', 'PDF'],
  ['archive.tar.gz', 'GZ'],
  ['Makefile', undefined],
  ['a.very-long-ending', undefined],
])('the kind of %s is %s', (name, kind) => {
  expect(readFileFacts({ file: { name, size: 5, mimeType: '' } }).kind).toBe(kind)
})
