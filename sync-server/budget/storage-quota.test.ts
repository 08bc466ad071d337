import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { must } from '../../schema/helpers/assertions.ts'
import { proposeMessage } from '../messages/proposals/proposal.ts'
import { openTestSocket } from '../testing/open-test-socket.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing/start-test-app.ts'
import { testBytes, uploadFile, uploadPicture } from '../testing/test-files.ts'

const MiB = 1024 * 1024
const words =
  'Not sent: your storage on this server is full. Delete messages or files you sent, then try again.'
/** In bytes: 17 of them fill a MiB. */
const long = 'x'.repeat(60_000)

const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }
beforeEach(async () => {
  opened.app = await startTestApp({ STORAGE_QUOTA_MB: '1' })
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterEach(() => opened.app.close())

function write(sender: TestPerson, content = long) {
  const recipient = sender === opened.ann ? opened.ben : opened.ann
  const message = { content, _id: uuidv7() }
  const proposed = { senderId: sender.userId, recipientId: recipient.userId, message }
  return { ...proposeMessage(proposed).raw, _id: message._id }
}
const push = ({ token }: TestPerson, docs: object[]) =>
  opened.app.call('POST', '/sync/messages/_bulk_docs', { token, body: { docs } })
const say = ({ token }: TestPerson, recipient: TestPerson, content = 'hello') =>
  opened.app.call('POST', '/api/messages', {
    token,
    body: { recipientId: recipient.userId, content },
  })
const remove = ({ token }: TestPerson, id: string) =>
  opened.app.call('DELETE', `/api/messages/${id}`, { token })
const readUsage = async ({ token }: TestPerson) =>
  (await opened.app.call('GET', '/api/users/me/usage', { token })).body

async function readOwn({ token }: TestPerson, name = 'messages') {
  const path = `/sync/${name}/_all_docs?include_docs=true`
  const answer = await opened.app.call('GET', path, { token })
  return answer.body.rows.map(({ doc }: { doc: { _id: string } }) => doc) as (Record<
    string,
    unknown
  > & { _id: string })[]
}

/** The size of a person's own messages, by scanning them. */
async function weighOwn(person: TestPerson): Promise<number> {
  const own = (await readOwn(person)).filter(({ senderId }) => senderId === person.userId)
  return own.reduce((sum, { _rev, ...doc }) => sum + Buffer.byteLength(JSON.stringify(doc)), 0)
}

/** @returns the ids of what she could still send */
async function fill(person: TestPerson, count = 18) {
  const docs = Array.from({ length: count }, () => write(person))
  for (const doc of docs) expect((await push(person, [doc])).status).toBe(201)
  return docs.map(({ _id }) => _id)
}

describe('P12: what somebody has stored', () => {
  it('is known to the byte, after changes, a restart and a kill', async () => {
    const { app, ann, ben } = opened
    const ids = await fill(ann, 3)
    await say(ben, ann, 'what others send her is not hers')
    await say(ann, ben, 'gruezi, ß and 💬')
    await remove(ann, ids[0] ?? '')
    const path = `/api/messages/${ids[1]}`
    await app.call('PUT', path, { token: ann.token, body: { content: 'short' } })
    const { messageBytes } = await readUsage(ann)
    expect(messageBytes).toBe(await weighOwn(ann))
    await app.restart()
    expect(await readUsage(ann)).toMatchObject({ messageBytes, quotaBytes: MiB })
    await app.killAndStart()
    expect(await readUsage(ann)).toMatchObject({ messageBytes })
  })

  it('has the flags of conversations in it', async () => {
    const { app, ann, ben } = opened
    await say(ben, ann)
    const before = await readUsage(ann)
    const path = `/api/messages/conversations/${ben.userId}/pin`
    await app.call('PUT', path, { token: ann.token, body: { isPinned: true } })
    expect((await readUsage(ann)).messageBytes).not.toBe(before.messageBytes)
  })

  it('has every file in it, until it is gone', async () => {
    const { app, ann } = opened
    await uploadFile(app, ann, { bytes: testBytes.png(300_000) })
    await uploadPicture(app, ann, { bytes: testBytes.png(1_000) })
    expect(await readUsage(ann)).toMatchObject({ fileBytes: 301_000 })
    await uploadPicture(app, ann, { bytes: testBytes.png(2_000) })
    await app.restart()
    expect(await readUsage(ann)).toMatchObject({ fileBytes: 302_000 })
  })
})

describe('P12: whoever has no room left', () => {
  it('P6: gets back what they write, with its text and the reason, and can send it once there is room', async () => {
    const { ann, ben } = opened
    const sent = await fill(ann)
    const refused = write(ann, 'one more')
    expect((await push(ann, [refused])).body).toMatchObject([{ error: 'conflict' }])
    const stored = (await readOwn(ann)).find(({ _id }) => _id === refused._id)
    expect(stored).toMatchObject({ status: 'failed', content: 'one more', error: words })
    expect((await readOwn(ben)).map(({ _id }) => _id)).not.toContain(refused._id)

    const answer = await say(ann, ben)
    expect([answer.status, answer.body]).toEqual([507, { code: 'storage_full', error: words }])

    for (const id of sent.slice(0, 3)) expect((await remove(ann, id)).status).toBe(200)
    const again = { ...refused, attempt: 2 }
    expect((await push(ann, [again])).body).toMatchObject([{ ok: true }])
    expect((await readOwn(ben)).map(({ _id }) => _id)).toContain(refused._id)
  })

  it('is told by the socket', async () => {
    const { app, ann, ben } = opened
    await fill(ann)
    const socket = await openTestSocket({ url: app.url, token: ann.token })
    socket.say('send-message', { recipientId: ben.userId, message: 'hello' })
    await expect
      .poll(() => socket.last('message-refused'))
      .toMatchObject({ code: 'storage_full', error: words })
    socket.socket.close()
    await socket.closed
  })

  it('still gets what others send, reads, stars and edits', async () => {
    const { app, ann, ben } = opened
    const [id] = await fill(ann)
    const answer = await say(ben, ann, 'for you')
    expect(answer.status).toBe(201)
    expect((await readOwn(ann)).map(({ _id }) => _id)).toContain(answer.body._id)
    const { token } = ann
    const path = `/api/messages/${id}`
    const starred = await app.call('PUT', `${path}/star`, { token, body: { isStarred: true } })
    const edited = await app.call('PUT', path, { token, body: { content: 'short' } })
    const read = await app.call('PUT', `/api/messages/conversations/${ben.userId}/read`, { token })
    expect([starred.status, edited.status, read.status]).toEqual([200, 200, 200])
  })

  it('cannot fill the disk with what is refused: in the end nothing of it is stored', async () => {
    const { ann } = opened
    await fill(ann)
    await fill(ann, 2)
    const before = await readUsage(ann)
    const [deleted] = await readOwn(ann)
    const held = write(ann)
    const pushed = await push(ann, [held, { ...deleted, deletedAt: Date.now() }])
    expect(pushed.body).toMatchObject([
      { id: held._id, error: 'forbidden', reason: words, code: 'storage_full' },
      { id: deleted?._id },
    ])
    expect((await readOwn(ann)).map(({ _id }) => _id)).not.toContain(held._id)
    expect((await readUsage(ann)).messageBytes).toBeLessThan(before.messageBytes)
    expect((await push(ann, [held])).body).not.toMatchObject([{ error: 'forbidden' }])
  })

  it('P6: withdraws what was held back, which takes no room', async () => {
    const { ann, ben } = opened
    await fill(ann)
    await fill(ann, 2)
    const before = await readUsage(ann)
    const held = write(ann)
    expect((await push(ann, [held])).body).toMatchObject([{ error: 'forbidden' }])
    const withdrawn = { ...held, content: '', deletedAt: Date.now() }
    const pushed = await push(ann, [write(ann), withdrawn])
    expect(pushed.body).toMatchObject([{ error: 'forbidden' }, { id: held._id, ok: true }])
    // One that was sent, and that a restored server lacks, is owed to its reader.
    const sent = { ...write(ann), content: '', status: 'sent', deletedAt: Date.now() }
    expect((await push(ann, [sent])).body).toMatchObject([{ error: 'forbidden' }])
    expect(await readUsage(ann)).toEqual(before)
    for (const person of [ann, ben]) {
      expect((await readOwn(person)).map(({ _id }) => _id)).not.toContain(held._id)
    }
  })

  it('cannot let what is there grow either, and still deletes it with what a stock client holds', async () => {
    const { ann } = opened
    await fill(ann)
    await fill(ann, 2)
    const own = (await readOwn(ann)).filter(({ status }) => status === 'sent')
    const { _rev, ...first } = must(own[0], 'a message')
    const at = Date.now()
    const longer = { ...first, content: `${long}${'y'.repeat(400)}`, editedAt: at }
    const refused = { at, code: 'x', error: 'x'.repeat(400), content: 'y'.repeat(400) }
    const before = await readUsage(ann)
    for (const doc of [longer, { ...first, refused }, { ...first, orderedAt: 'y'.repeat(400) }]) {
      const { body } = await push(ann, [doc])
      expect(body).toMatchObject([{ error: 'forbidden', code: 'storage_full' }])
    }
    expect(await readUsage(ann)).toEqual(before)
    const shorter = { ...longer, content: long.replace('x', 'y') }
    expect((await push(ann, [shorter])).body).toMatchObject([{ ok: true }])
    // PouchDB knows a thousand revisions of a document.
    const ids = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(32, '0'))
    const deleted = { ...first, deletedAt: at, _rev: `1000-${ids[0]}` }
    const replicated = { ...deleted, _revisions: { start: 1_000, ids } }
    const { token } = ann
    const answer = await opened.app.call('POST', '/sync/messages/_bulk_docs', {
      token,
      body: { new_edits: false, docs: [replicated] },
    })
    expect(answer.body).toEqual([])
    expect((await readUsage(ann)).messageBytes).toBeLessThan(before.messageBytes)
  })

  it('uploads nothing, whatever the file says of its size, and several at once are one sum', async () => {
    const { app, ann } = opened
    const bytes = testBytes.png(400_000)
    const done = await Promise.all([1, 2, 3].map(() => uploadFile(app, ann, { bytes })))
    expect(done.map(({ status }) => status).sort()).toEqual([201, 201, 507])
    const refused = await uploadFile(app, ann, { bytes })
    expect([refused.status, refused.body]).toEqual([507, { code: 'storage_full', error: words }])
    const picture = await uploadPicture(app, ann, { bytes })
    expect([picture.status, picture.body.code]).toEqual([507, 'storage_full'])
    expect(await readUsage(ann)).toMatchObject({ fileBytes: 800_000 })
    expect((await uploadFile(app, opened.ben, { bytes })).status).toBe(201)
  })

  it('P2: hears of a file that is there already when it comes again', async () => {
    const { app, ann } = opened
    const file = { bytes: testBytes.png(600_000), key: uuidv7() }
    const first = await uploadFile(app, ann, file)
    const again = await uploadFile(app, ann, file)
    expect([again.status, again.body.mediaUrl]).toEqual([201, first.body.mediaUrl])
  })
})
