import { expect, test } from 'vitest'
import { limits } from '../../schema/limits.ts'
import { readSharedItem, textKey } from './shared-item.ts'

const nothing = { title: '', text: '', url: '', files: [] }
const read = (given: object) => readSharedItem({ _id: 'a', at: 1, ...nothing, ...given })
const photo = (key: number, bytes: Blob = new Blob(['x'])) => ({
  key,
  name: `photo-${key}.jpg`,
  type: 'image/jpeg',
  bytes,
})

test.each([
  ['a text', { text: 'hello ' }, 'hello'],
  ['a link with its title', { title: 'Harbour', url: 'https://a.b' }, 'Harbour\nhttps://a.b'],
  [
    'a link in the text and beside it',
    { text: 'see https://a.b', url: 'https://a.b' },
    'see https://a.b',
  ],
  ['all three', { title: 'T', text: 'words', url: 'https://a.b' }, 'T\nwords\nhttps://a.b'],
])('%s becomes one text without repetition', (_what, given, text) => {
  expect(read(given)).toMatchObject({ text, problems: [], files: [] })
})

test('files keep their names and kinds', () => {
  const { files, problems } = read({ files: [photo(0), photo(1)] })
  expect(files.map(({ key, file }) => [key, file.name, file.type])).toEqual([
    [0, 'photo-0.jpg', 'image/jpeg'],
    [1, 'photo-1.jpg', 'image/jpeg'],
  ])
  expect(problems).toEqual([])
})

test('P6: names a file that is too large, and the rest can be sent', () => {
  const large = new Blob([new Uint8Array(limits.sharedFileMaxBytes + 1)])
  const { files, problems } = read({ files: [photo(0, large), photo(1)] })
  expect(files.map(({ key }) => key)).toEqual([1])
  expect(problems).toEqual([
    '“photo-0.jpg” is too large to send (100 MB). Files can have up to 100 MB.',
  ])
})

test('P6: files beyond the limit for one send stay pending', () => {
  const many = Array.from({ length: limits.sharedFilesMax + 2 }, (_, key) => photo(key))
  const { files, problems } = read({ files: many })
  expect(files).toHaveLength(limits.sharedFilesMax)
  expect(problems).toEqual(['30 files can be sent at once. 2 more will wait until these are sent.'])
})

test('P6: a text that is too long for a message becomes a file, whole', async () => {
  const long = 'x'.repeat(limits.messageMaxCharacters + 1)
  const { text, files, problems } = read({ text: long })
  expect(text).toBe('')
  expect(files.map(({ key }) => key)).toEqual([textKey])
  expect(await files[0]?.file.text()).toBe(long)
  expect(problems).toEqual(['The text is too long for one message, so it will be sent as a file.'])
})

test.each([
  ['nothing at all', {}, 'There is nothing in it that can be sent.'],
  ['a wrong shape', { files: 'no' }, "What was shared couldn't be read. Share it again."],
  [
    'a file without bytes',
    { files: [{ ...photo(0), bytes: 'no' }] },
    "What was shared couldn't be read. Share it again.",
  ],
])('P6: reports %s in words', (_what, given, words) => {
  expect(read(given)).toMatchObject({ id: 'a', text: '', files: [], problems: [words] })
})
