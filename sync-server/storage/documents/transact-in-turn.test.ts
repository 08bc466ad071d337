import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStorage, type Storage } from '../storage.ts'
import type { Document } from './documents.ts'

async function open(): Promise<Storage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'petrel-in-turn-'))
  const storage = createStorage({ dataDir, isAtomic: false, durability: 'relaxed' })
  onTestFinished(async () => {
    await storage.close()
    await rm(dataDir, { recursive: true })
  })
  return storage
}

/** Writes one copy as the other copy is; changes nothing there. */
function copyOver(storage: Storage, given: { onWritten?: () => Promise<void> } = {}) {
  const rounds: (string | undefined)[] = []
  const copied = storage.transact({
    parts: [
      { name: 'own', ids: ['note'] },
      { name: 'theirs', ids: ['note'] },
    ],
    decide(read) {
      const text = read<Document & { text: string }>('theirs').get('note')?.text
      rounds.push(text)
      return {
        writes: [{ name: 'own', put: [{ _id: 'note', text } as Document] }],
        unchanged: [{ name: 'theirs', ids: ['note'] }],
        result: text,
      }
    },
    async onWritten() {
      if (rounds.length === 1) await given.onWritten?.()
    },
  })
  return { copied, rounds }
}

test('P5: what only was read, and changes before the last write, is read again', async () => {
  const storage = await open()
  const theirs = storage.database<Document & { text: string }>('theirs')
  await theirs.insert({ _id: 'note', text: 'first' })
  const change = async () => {
    const put = [{ _id: 'note', text: 'second' }]
    await theirs.update(['note'], () => ({ put, result: undefined }))
  }
  const { copied, rounds } = copyOver(storage, { onWritten: change })
  expect(await copied).toMatchObject({ result: 'second' })
  expect(rounds).toEqual(['first', 'second'])
  expect((await storage.database('own').read(['note'])).get('note')).toMatchObject({
    text: 'second',
  })
})

test('P5: what was missing, and is made before the last write, is found', async () => {
  const storage = await open()
  const insert = async () => {
    await storage.database('theirs').insert({ _id: 'note', text: 'made' } as Document)
  }
  const { copied, rounds } = copyOver(storage, { onWritten: insert })
  expect(await copied).toMatchObject({ result: 'made' })
  expect(rounds).toEqual([undefined, 'made'])
})

test('what stays as it was read is decided once', async () => {
  const storage = await open()
  await storage.database('theirs').insert({ _id: 'note', text: 'stays' } as Document)
  const { copied, rounds } = copyOver(storage)
  expect(await copied).toMatchObject({ result: 'stays' })
  expect(rounds).toEqual(['stays'])
})
