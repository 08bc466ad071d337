import { expect, test } from 'vitest'
import { createDeferred } from '../../schema/helpers/deferred.ts'
import { writeInGroups } from './write-in-groups.ts'

/** A disk that completes writes on command, and records each. */
function openSlowDisk() {
  const groups: string[] = []
  const turns: ReturnType<typeof createDeferred<void>>[] = []
  return {
    groups,
    turns,
    async write(group: readonly string[]) {
      groups.push(group.join(''))
      const turn = createDeferred<void>()
      turns.push(turn)
      await turn.promise
    },
  }
}

/** A queue that counts the items taken from it. */
function openLine(texts: string, error?: Error) {
  const line = { taken: 0, items }
  async function* items() {
    for (const text of texts) {
      line.taken += 1
      yield text
    }
    if (error) throw error
  }
  return line
}

test('what comes during a write goes together with the next one, and no more is taken than may wait', async () => {
  const disk = openSlowDisk()
  const line = openLine('abcdefg')
  const done = writeInGroups({ items: line.items(), most: 3, write: disk.write })
  await expect.poll(() => line.taken).toBe(4)
  expect(disk.groups).toEqual(['a'])
  for (const [at, group] of ['bcd', 'efg'].entries()) {
    disk.turns[at]?.resolve()
    await expect.poll(() => disk.groups.at(-1)).toBe(group)
  }
  disk.turns.at(-1)?.resolve()
  await done
  expect(disk.groups).toEqual(['a', 'bcd', 'efg'])
})

test('each is written alone where the disk is quicker than the line', async () => {
  const groups: string[] = []
  const line = openLine('abc')
  async function* slowly() {
    for await (const text of line.items()) {
      await expect.poll(() => groups.length).toBe(line.taken - 1)
      yield text
    }
  }
  const write = async (group: readonly string[]) => void groups.push(group.join(''))
  await writeInGroups({ items: slowly(), most: 3, write })
  expect(groups).toEqual(['a', 'b', 'c'])
})

test('a line that breaks off ends it once the write that is under way is over, and what waits is not written', async () => {
  const disk = openSlowDisk()
  const line = openLine('abc', new Error('cut'))
  let isOver = false
  const done = writeInGroups({ items: line.items(), most: 9, write: disk.write }).finally(() => {
    isOver = true
  })
  const failed = expect(done).rejects.toThrow('cut')
  await expect.poll(() => line.taken).toBe(3)
  expect(isOver).toBe(false)
  disk.turns[0]?.resolve()
  await failed
  expect(disk.groups).toEqual(['a'])
})

test.each([2, 9])(
  'a write that fails ends it, and nothing more is written (%i may wait)',
  async (most) => {
    const disk = openSlowDisk()
    const done = writeInGroups({ items: openLine('abcd').items(), most, write: disk.write })
    const failed = expect(done).rejects.toThrow('full')
    await expect.poll(() => disk.groups).toEqual(['a'])
    disk.turns[0]?.reject(new Error('full'))
    await failed
    expect(disk.groups).toEqual(['a'])
  },
)
