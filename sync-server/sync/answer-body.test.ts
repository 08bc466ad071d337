import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { propose, writeMessage } from '../testing/open-test-acceptance.ts'
import { startTestSync, type TestSync } from '../testing/start-test-sync.ts'

let t: TestSync
beforeAll(async () => {
  t = await startTestSync()
  for (let count = 1; count <= 60; count += 1) await say(`message ${count}`)
})
afterAll(() => t.close())

async function say(content: string) {
  const message = writeMessage({ senderId: t.ann, recipientId: t.ben, content })
  await t.acceptance.acceptMessages({ actorId: t.ann, proposals: [propose(message)] })
}

/** The raw answer, not decompressed. */
async function ask(path: string, encoding?: string) {
  const asking = request(new URL(path, t.url), {
    headers: {
      authorization: `Bearer ${t.tokens.ben}`,
      ...(encoding && { 'accept-encoding': encoding }),
    },
  })
  const [response] = await once(asking.end(), 'response')
  return response
}

async function count(stream: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.length
  return bytes
}

const page = 'messages/_changes?include_docs=true'

describe('what /sync answers', () => {
  test.for([page, 'messages/_all_docs?include_docs=true'])(
    'is compressed for whoever takes that: %s',
    async (path) => {
      const plain = await ask(path)
      expect(plain.headers['content-encoding']).toBeUndefined()
      const whole = await text(plain)
      for (const [takes, encoding, unpack] of [
        ['gzip, deflate, br', 'br', createBrotliDecompress],
        ['gzip', 'gzip', createGunzip],
      ] as const) {
        const packed = await ask(path, takes)
        expect(packed.headers).toMatchObject({
          'content-encoding': encoding,
          vary: expect.stringMatching(/accept-encoding/i),
        })
        expect(await text(packed.pipe(unpack()))).toBe(whole)
        expect(await count(await ask(path, takes))).toBeLessThan(whole.length / 3)
      }
    },
  )

  test.for([undefined, 'identity', 'zstd', 'gzip;q=0, br;q=0'])(
    'is plain for whoever takes %s',
    async (encoding) => {
      const answer = await ask(page, encoding)
      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(JSON.parse(await text(answer)).results).toHaveLength(60)
    },
  )

  test('is plain where it fits into a packet, and where it waits', async () => {
    const { last_seq } = JSON.parse(await text(await ask(page)))
    for (const path of ['messages', `${page}&since=${last_seq}`, `${page}&limit=1`]) {
      expect((await ask(path, 'gzip')).headers['content-encoding'], path).toBeUndefined()
    }
    const feed = await ask(`${page}&feed=continuous&timeout=60000`, 'gzip')
    expect(feed.headers['content-encoding']).toBeUndefined()
    let heard = ''
    feed.on('data', (chunk: Buffer) => {
      heard += chunk
    })
    await expect.poll(() => heard).toContain('"message 60"')
    await say('live')
    await expect.poll(() => heard).toContain('"live"')
    feed.destroy()
  })

  test('P12: a reader who leaves in the middle holds nothing', async () => {
    const answer = await ask(page, 'gzip')
    answer.destroy()
    await expect.poll(() => t.storage.stats().open).toBe(0)
    expect(
      JSON.parse(await text((await ask(page, 'gzip')).pipe(createGunzip()))).last_seq,
    ).toBeGreaterThan(0)
  })

  test('says how many changes may lie above its limit, and nothing where there are none', async () => {
    const all = JSON.parse(await text(await ask(page)))
    expect(all.pending).toBeUndefined()
    const some = JSON.parse(await text(await ask(`${page}&limit=20`)))
    expect(some.pending).toBe(all.last_seq - some.last_seq)
  })
})
