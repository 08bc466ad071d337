import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { interruptUpdates } from '../testing/interrupt-updates.ts'
import { openTestMedia, type TestMedia } from '../testing/open-test-media.ts'
import { testBytes } from '../testing/test-files.ts'
import { nameMediaUrl, pieceBytes } from './media-documents.ts'

const [ann, ben, cleo] = [uuidv7(), uuidv7(), uuidv7()]
const dayMs = 24 * 60 * 60 * 1000
const opened = {} as { test: TestMedia }
beforeEach(async () => {
  opened.test = await openTestMedia()
})
afterEach(() => opened.test.close())

async function whoSees(mediaId: string) {
  const people = { ann, ben, cleo }
  const seen = await Promise.all(
    Object.entries(people).map(async ([name, id]) =>
      (await opened.test.media.find(mediaId, id)) ? [name] : [],
    ),
  )
  return seen.flat()
}

const share = (mediaUrl: string, senderId: string, recipientId?: string, messageId = uuidv7()) =>
  opened.test.media.shareMedia({ mediaUrl, messageId, senderId, recipientId })

it('P2: an upload that another server begins at the same moment is one file, and is counted once', async () => {
  const { media, storage, openOther } = opened.test
  const bytes = testBytes.png(pieceBytes + 5)
  const which = { ownerId: ann, key: uuidv7() }
  const takeRoom = async () => ({ grow: () => undefined, release: () => undefined })
  const upload = { ...which, size: bytes.length, filename: 'a.png', takeRoom }
  let isBegun = false
  const slow = interruptUpdates(storage, 'media', async (ids) => {
    if (isBegun || !ids.some((id) => id.startsWith('used:'))) return
    isBegun = true
    expect(await media.unfinished.begin(upload)).toEqual({ offset: 0 })
  })
  expect(await openOther(slow).unfinished.begin(upload)).toEqual({ offset: 0 })
  expect(await media.readUsed(ann)).toBe(bytes.length)
  async function* all() {
    yield bytes
  }
  const part = { ...which, offset: 0, bytes: all(), confirm: async () => undefined }
  expect(await media.unfinished.take(part)).toMatchObject({ file: { state: 'ready' } })
  expect(await media.readUsed(ann)).toBe(bytes.length)
  expect((await opened.test.listKinds()).filter((kind) => kind === 'file')).toHaveLength(1)
})

describe('P8: who sees a file', () => {
  it('is its owner, and whoever gets it in a message', async () => {
    const { mediaId, mediaUrl } = await opened.test.store(ann)
    expect(await whoSees(mediaId)).toEqual(['ann'])
    expect(await share(mediaUrl, ann, ben)).toBe(true)
    expect(await whoSees(mediaId)).toEqual(['ann', 'ben'])
  })

  it('is whoever gets it forwarded, by somebody who got it', async () => {
    const { mediaId, mediaUrl } = await opened.test.store(ann)
    expect(await opened.test.media.mayShare({ mediaUrl, senderId: ben })).toBe(false)
    expect(await share(mediaUrl, ben, cleo)).toBe(false)
    expect(await whoSees(mediaId)).toEqual(['ann'])
    await share(mediaUrl, ann, ben)
    expect(await opened.test.media.mayShare({ mediaUrl, senderId: ben })).toBe(true)
    expect(await share(mediaUrl, ben, cleo)).toBe(true)
    expect(await whoSees(mediaId)).toEqual(['ann', 'ben', 'cleo'])
  })

  it('is not whoever blocks its sender: the message is held back', async () => {
    const { mediaId, mediaUrl } = await opened.test.store(ann)
    expect(await share(mediaUrl, ann)).toBe(true)
    expect(await whoSees(mediaId)).toEqual(['ann'])
  })

  it('is nobody any more whose last message with it was deleted', async () => {
    const { mediaId, mediaUrl } = await opened.test.store(ann)
    const [one, other] = [uuidv7(), uuidv7()]
    await share(mediaUrl, ann, ben, one)
    await share(mediaUrl, ann, ben, other)
    await opened.test.media.releaseMedia({ mediaUrl, messageId: one, userIds: [ann, ben] })
    expect(await whoSees(mediaId)).toEqual(['ann', 'ben'])
    await opened.test.media.releaseMedia({ mediaUrl, messageId: other, userIds: [ann, ben] })
    expect(await whoSees(mediaId)).toEqual(['ann'])
  })

  it('is not decided by an address that is none of ours', async () => {
    const { mediaId } = await opened.test.store(ann)
    const spoiled = [
      '',
      '/api/media/',
      `/api/media/${mediaId}/`,
      `/api/media/${mediaId}?x`,
      `/api/media/${mediaId.toUpperCase()}`,
      `/api/media/../media/${mediaId}`,
      `https://elsewhere.example/api/media/${mediaId}`,
      nameMediaUrl(uuidv7()),
    ]
    for (const mediaUrl of spoiled) expect(await share(mediaUrl, ann, ben)).toBe(false)
    expect(await whoSees(mediaId)).toEqual(['ann'])
  })

  it('is everybody, for the picture in a record, but those who may not see its owner; it is in no message', async () => {
    const { mediaId, mediaUrl } = await opened.test.store(ann, 'picture')
    expect(await share(mediaUrl, ann, ben)).toBe(false)
    expect(await whoSees(mediaId)).toEqual(['ann'])
    opened.test.records.set(ann, mediaUrl)
    expect(await whoSees(mediaId)).toEqual(['ann', 'ben', 'cleo'])
    opened.test.hidden.add(ann)
    expect(await whoSees(mediaId)).toEqual(['ann'])
  })
})

describe('the same message twice', () => {
  it('shares once, and is released once', async () => {
    const { mediaUrl } = await opened.test.store(ann)
    const messageId = uuidv7()
    await Promise.all([1, 2, 3].map(() => share(mediaUrl, ann, ben, messageId)))
    const kinds = await opened.test.listKinds()
    expect(kinds.filter((kind) => kind === 'share')).toHaveLength(2)
    await opened.test.media.releaseMedia({ mediaUrl, messageId, userIds: [ann, ben] })
    await opened.test.media.releaseMedia({ mediaUrl, messageId, userIds: [ann, ben] })
    expect(await opened.test.listKinds()).not.toContain('share')
  })
})

describe('what nothing refers to', () => {
  it('goes after a day, and not before', async () => {
    await opened.test.store(ann)
    opened.test.passTime(dayMs - 1)
    expect(await opened.test.media.sweep()).toBe(0)
    opened.test.passTime(1)
    expect(await opened.test.media.sweep()).toBe(1)
    expect(await opened.test.listKinds()).toEqual([])
  })

  it('stays while it is in a message, and goes a day after the message', async () => {
    const { mediaUrl, mediaId } = await opened.test.store(ann)
    const messageId = uuidv7()
    await share(mediaUrl, ann, ben, messageId)
    opened.test.passTime(100 * dayMs)
    expect(await opened.test.media.sweep()).toBe(0)
    expect(await whoSees(mediaId)).toEqual(['ann', 'ben'])
    await opened.test.media.releaseMedia({ mediaUrl, messageId, userIds: [ann, ben] })
    expect(await opened.test.media.sweep()).toBe(0)
    opened.test.passTime(dayMs)
    expect(await opened.test.media.sweep()).toBe(1)
    expect(await opened.test.listKinds()).toEqual([])
  })

  it('can be shared until it goes, and then stays', async () => {
    const { mediaUrl, mediaId } = await opened.test.store(ann)
    opened.test.passTime(2 * dayMs)
    await share(mediaUrl, ann, ben)
    expect(await opened.test.media.sweep()).toBe(0)
    expect(await whoSees(mediaId)).toEqual(['ann', 'ben'])
  })

  it('is found among any number of others', async () => {
    for (let count = 0; count < 205; count += 1) await opened.test.store(ann)
    const kept = await opened.test.store(ben)
    await share(kept.mediaUrl, ben, ann)
    opened.test.passTime(dayMs)
    await opened.test.store(ann)
    expect(await opened.test.media.sweep()).toBe(205)
    expect((await opened.test.listKinds()).filter((kind) => kind === 'file')).toHaveLength(2)
  })
})

describe('a crash', () => {
  const neverEnding = async function* () {
    yield testBytes.png(3 * pieceBytes)
    await new Promise(() => undefined)
  }
  const arriving = () => ({
    ...({ ownerId: ann, purpose: 'message', filename: 'a.png', limitBytes: 1e9 } as const),
    bytes: neverEnding(),
  })

  async function crashWhileArriving() {
    opened.test.media.store(arriving()).catch(() => undefined)
    const listParts = async () => (await opened.test.listKinds()).filter((kind) => kind === 'part')
    await expect.poll(listParts).toHaveLength(3)
  }

  it('between the bytes and the whole leaves nothing behind after the next start', async () => {
    await crashWhileArriving()
    opened.test.passTime(1)
    expect(await opened.test.restart().sweep()).toBe(1)
    expect(await opened.test.listKinds()).toEqual([])
  })

  it('of one server among several is cleared away by the others, once it cannot be under way any more', async () => {
    await opened.test.close()
    opened.test = await openTestMedia({ isShared: true })
    await crashWhileArriving()
    opened.test.passTime(3 * dayMs)
    expect(await opened.test.restart().sweep()).toBe(0)
    opened.test.passTime(dayMs)
    expect(await opened.test.media.sweep()).toBe(1)
    expect(await opened.test.listKinds()).toEqual([])
  })

  it.each(['part', 'share', 'owned', 'file'])(
    'while a file is taken away, before its %s is gone, is made good by the sweep',
    async (kind) => {
      const { mediaUrl } = await opened.test.store(ann, 'message', testBytes.png(2 * pieceBytes))
      const messageId = uuidv7()
      await share(mediaUrl, ann, ben, messageId)
      const database = opened.test.storage.database<{ _id: string; _deleted?: boolean }>('media')
      const before = await database.range({})
      await opened.test.media.releaseMedia({ mediaUrl, messageId, userIds: [ann] })
      await opened.test.media.releaseMedia({ mediaUrl, messageId, userIds: [ben] })
      opened.test.passTime(dayMs)
      const left = before.filter(({ _id }) => _id.startsWith(`${kind}:`)).map(({ _id }) => _id)
      const gone = (await database.range({}))
        .map(({ _id }) => _id)
        .filter((id) => !left.includes(id) && !/^(file|loose):/.test(id))
      await opened.test.storage.attachments('media').remove(gone)
      await opened.test.restart().sweep()
      expect(await opened.test.listKinds()).toEqual([])
    },
  )
})

describe('an upload in pieces', () => {
  const size = 2 * pieceBytes
  const bytes = testBytes.png(size)
  const which = () => ({ ownerId: ann, key: uuidv7() })
  type Which = ReturnType<typeof which>

  const begin = (upload: Which) =>
    opened.test.media.unfinished.begin({
      ...upload,
      size,
      filename: 'a.png',
      takeRoom: async () => ({ grow: () => undefined, release: () => undefined }),
    })

  const take = (upload: Which, offset: number) =>
    opened.test.media.unfinished.take({
      ...upload,
      offset,
      confirm: async () => undefined,
      bytes: (async function* () {
        yield bytes.subarray(offset, offset + pieceBytes)
      })(),
    })

  it('outlives a start of the server and its sweep, and goes after four days with all it took', async () => {
    const upload = which()
    await begin(upload)
    await take(upload, 0)
    opened.test.passTime(4 * dayMs - 1)
    expect(await opened.test.restart().sweep()).toBe(0)
    expect(await begin(upload)).toEqual({ offset: pieceBytes })
    opened.test.passTime(1)
    expect(await opened.test.media.sweep()).toBe(1)
    expect(await opened.test.listKinds()).toEqual([])
    expect(await opened.test.media.readUsed(ann)).toBe(0)
    expect(await begin(upload)).toEqual({ offset: 0 })
  })

  it('has a day for its message once it is whole, however long it took', async () => {
    const upload = which()
    await begin(upload)
    await take(upload, 0)
    opened.test.passTime(3 * dayMs)
    const { file } = await take(upload, pieceBytes)
    opened.test.passTime(dayMs - 1)
    expect(await opened.test.media.sweep()).toBe(0)
    expect(await whoSees(file?.mediaId ?? '')).toEqual(['ann'])
    opened.test.passTime(1)
    expect(await opened.test.media.sweep()).toBe(1)
    expect(await opened.test.listKinds()).toEqual([])
  })

  it('of which all bytes are there when the server dies is whole at the next question', async () => {
    const upload = which()
    await begin(upload)
    await take(upload, 0)
    const dying = opened.test.media.unfinished.take({
      ...upload,
      offset: pieceBytes,
      confirm: () => Promise.reject(new Error('It dies here.')),
      bytes: (async function* () {
        yield bytes.subarray(pieceBytes)
      })(),
    })
    await expect(dying).rejects.toThrow('It dies here.')
    opened.test.restart()
    const { file } = await begin(upload)
    expect(file).toMatchObject({ state: 'ready', size, mimeType: 'image/png' })
    expect(await opened.test.media.readUsed(ann)).toBe(size)
    expect((await opened.test.listKinds()).sort()).toEqual(
      ['file', 'loose', 'owned', 'part', 'part', 'served', 'upload', 'used'].sort(),
    )
  })
})

describe('a person who leaves', () => {
  it('takes their pictures and unsent files along; what others were sent stays', async () => {
    const sent = await opened.test.store(ann)
    await share(sent.mediaUrl, ann, ben)
    const unsent = await opened.test.store(ann)
    const picture = await opened.test.store(ann, 'picture')
    opened.test.records.set(ann, picture.mediaUrl)
    await opened.test.media.settlePictures(ann)
    const other = await opened.test.store(ben)
    await opened.test.media.deleteMediaOf(ann)
    expect(await whoSees(sent.mediaId)).toContain('ben')
    expect(await whoSees(unsent.mediaId)).toEqual([])
    expect(await whoSees(picture.mediaId)).toEqual([])
    expect(await whoSees(other.mediaId)).toEqual(['ben'])
  })
})

describe('a profile picture', () => {
  it('replaces the one before', async () => {
    const first = await opened.test.store(ann, 'picture')
    opened.test.records.set(ann, first.mediaUrl)
    await opened.test.media.settlePictures(ann)
    const second = await opened.test.store(ann, 'picture')
    opened.test.records.set(ann, second.mediaUrl)
    await opened.test.media.settlePictures(ann)
    expect(await whoSees(first.mediaId)).toEqual([])
    opened.test.passTime(100 * dayMs)
    expect(await opened.test.media.sweep()).toBe(0)
    expect(await whoSees(second.mediaId)).toEqual(['ann', 'ben', 'cleo'])
  })

  it('that the record names stays, although a crash came before it was settled', async () => {
    const first = await opened.test.store(ann, 'picture')
    opened.test.records.set(ann, first.mediaUrl)
    await opened.test.media.settlePictures(ann)
    const second = await opened.test.store(ann, 'picture')
    opened.test.records.set(ann, second.mediaUrl)
    const unnamed = await opened.test.store(ann, 'picture')
    opened.test.passTime(dayMs)
    expect(await opened.test.restart().sweep()).toBe(1)
    expect(await whoSees(unnamed.mediaId)).toEqual([])
    expect(await whoSees(first.mediaId)).toEqual([])
    expect(await whoSees(second.mediaId)).toContain('ben')
  })
})
