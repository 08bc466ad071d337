import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Storage } from './storage.ts'

const everything = { startkey: 'a', endkey: 'z' }

/**
 * The contract of attachments in any storage. @param open gives a storage with its own databases
 */
export function describeAttachments(kind: string, open: () => Storage | Promise<Storage>) {
  describe(`attachments on ${kind}`, () => {
    test.each([
      ['one byte', Buffer.from([0])],
      ['every byte there is', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
      ['a quarter of a megabyte', randomBytes(256 * 1024)],
    ])('%s is read as it was written', async (_what, bytes) => {
      const files = (await open()).attachments('files')
      await files.write([{ id: 'part:a:0', bytes }])
      expect((await files.read('part:a:0'))?.equals(bytes)).toBe(true)
    })

    test('what is not there is told apart from what is', async () => {
      const files = (await open()).attachments('files')
      expect(await files.read('part:a:0')).toBeUndefined()
      await expect(files.remove(['part:a:0'])).resolves.toBeUndefined()
    })

    test('pieces are listed in their order', async () => {
      const files = (await open()).attachments('files')
      for (const id of ['part:b:1', 'part:a:1', 'part:a:0'])
        await files.write([{ id, bytes: Buffer.from(id) }])
      expect(await files.list({ startkey: 'part:a:', endkey: 'part:a:~' })).toEqual([
        'part:a:0',
        'part:a:1',
      ])
    })

    test('a piece is not written over', async () => {
      const files = (await open()).attachments('files')
      await files.write([{ id: 'part:a:0', bytes: Buffer.from('first') }])
      await expect(
        files.write([{ id: 'part:a:0', bytes: Buffer.from('second') }]),
      ).rejects.toThrow()
      expect(String(await files.read('part:a:0'))).toBe('first')
    })

    test('of equal pieces that were written together each is there until it is removed itself', async () => {
      const files = (await open()).attachments('files')
      const bytes = Buffer.alloc(1000, 7)
      const ids = ['part:a:0', 'part:a:1', 'part:a:2']
      await files.write(ids.map((id) => ({ id, bytes })))
      expect(await files.list(everything)).toEqual(ids)
      await files.remove(['part:a:0', 'part:a:2'])
      expect((await files.read('part:a:1'))?.equals(bytes)).toBe(true)
      expect(await files.list(everything)).toEqual(['part:a:1'])
    })

    test('where one of several is there already, the writer is told, and it stays as it was', async () => {
      const files = (await open()).attachments('files')
      await files.write([{ id: 'part:a:1', bytes: Buffer.from('first') }])
      const pieces = ['part:a:0', 'part:a:1'].map((id) => ({ id, bytes: Buffer.from('second') }))
      await expect(files.write(pieces)).rejects.toThrow()
      expect(String(await files.read('part:a:0'))).toBe('second')
      expect(String(await files.read('part:a:1'))).toBe('first')
    })

    test('removing one of two equal pieces leaves the other', async () => {
      const files = (await open()).attachments('files')
      const bytes = Buffer.alloc(1000, 7)
      await Promise.all(['part:a:0', 'part:b:0'].map((id) => files.write([{ id, bytes }])))
      await files.remove(['part:a:0'])
      expect(await files.read('part:a:0')).toBeUndefined()
      expect((await files.read('part:b:0'))?.equals(bytes)).toBe(true)
      expect(await files.list(everything)).toEqual(['part:b:0'])
    })

    test('documents lie beside them in the same database', async () => {
      const storage = await open()
      await storage.attachments('files').write([{ id: 'part:a:0', bytes: Buffer.from('x') }])
      await storage.database('files').insert({ _id: 'file:a' })
      expect((await storage.database('files').range({ endkey: 'g' })).length).toBe(1)
      expect(String(await storage.attachments('files').read('part:a:0'))).toBe('x')
    })
  })
}
