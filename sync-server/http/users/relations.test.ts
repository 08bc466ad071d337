import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import type { ReportDocument } from '../../access/reports.ts'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { openTestSocket } from '../../testing/open-test-socket.ts'
import { startTestApp, type TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { chat: TestChat; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.chat = await openTestChat()
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
})
afterAll(() => opened.chat.close())

const as = (person: TestPerson) => opened.chat.as(person)
const block = (blocked: unknown, userId = opened.ben.userId) =>
  as(opened.ann).put(`/users/${userId}/block`, { blocked })
const report = (reason: unknown, userId = opened.ben.userId, headers = {}) =>
  as(opened.ann).post(`/users/${userId}/report`, { reason }, headers)
const idsOf = (answer: { body: { _id: string }[] }) => answer.body.map(({ _id }) => _id)

describe('PUT /users/{id}/block', () => {
  it('keeps messages and presence away, and lets them again', async () => {
    const socket = await openTestSocket({ url: opened.chat.app.url, token: opened.ann.token })
    const isAnnOnline = async () =>
      (await as(opened.ben).get(`/users/${opened.ann.userId}/activity`)).body.isOnline
    await expect.poll(isAnnOnline).toBe(true)
    expect((await block(true)).body).toEqual({ userId: opened.ben.userId, blocked: true })
    expect(await isAnnOnline()).toBe(false)
    const id = await opened.chat.say(opened.ben, opened.ann, 'unheard')
    expect((await as(opened.ann).get(`/messages/${opened.ben.userId}`)).body).toEqual([])
    expect((await as(opened.ben).get(`/messages/${id}/status`)).body.status).toBe('sent')
    expect((await block(false)).body).toEqual({ userId: opened.ben.userId, blocked: false })
    expect(await isAnnOnline()).toBe(true)
    await opened.chat.say(opened.ben, opened.ann, 'heard')
    await expect
      .poll(() => socket.last('receive-message'))
      .toMatchObject({ senderId: opened.ben.userId, content: 'heard' })
    expect(socket.count('receive-message')).toBe(1)
    socket.socket.close()
  })

  it('P8: a block is told to the person’s own devices that understand it, and to nobody else', async () => {
    const { chat, ann, ben } = opened
    const connect = async ({ token }: TestPerson, understands: readonly string[]) => {
      const socket = await openTestSocket({ url: chat.app.url, token, understands })
      onTestFinished(() => socket.socket.close())
      await socket.untilGreeted()
      return socket
    }
    const [phone, older] = [await connect(ann, ['blocks']), await connect(ann, ['settings'])]
    const bens = await connect(ben, ['blocks'])
    await block(true)
    await expect
      .poll(() => phone.last('block-changed'))
      .toEqual({ userId: ben.userId, blocked: true })
    await block(false)
    await expect
      .poll(() => phone.last('block-changed'))
      .toEqual({ userId: ben.userId, blocked: false })
    // What follows on each line shows that nothing came before.
    await chat.say(ben, ann, 'hello')
    await expect.poll(() => older.count('receive-message')).toBe(1)
    await chat.say(ann, ben, 'hello')
    await expect.poll(() => bens.count('receive-message')).toBe(1)
    expect([older.count('block-changed'), bens.count('block-changed')]).toEqual([0, 0])
  })

  it('is for others who are there', async () => {
    for (const wrong of [undefined, 'yes', 1, { $ne: false }]) {
      const answer = await block(wrong)
      expect([answer.status, answer.body.error]).toEqual([400, 'blocked must be true or false'])
    }
    for (const nobody of [uuidv7(), 'nobody', '__proto__']) {
      expect((await block(true, nobody)).status).toBe(404)
    }
    const oneself = await block(true, opened.ann.userId)
    expect([oneself.status, oneself.body.code]).toEqual([400, 'own_account'])
  })
})

describe('GET /users/blocked', () => {
  it('lists the people one has blocked oneself', async () => {
    expect((await as(opened.ann).get('/users/blocked')).body).toEqual([])
    await block(true)
    const answer = await as(opened.ann).get('/users/blocked')
    expect([answer.status, idsOf(answer)]).toEqual([200, [opened.ben.userId]])
    expect(answer.text).not.toContain('@example.org')
    expect((await as(opened.ben).get('/users/blocked')).body).toEqual([])
    await block(false)
    expect((await as(opened.ann).get('/users/blocked')).body).toEqual([])
  })
})

describe('POST /users/{id}/report', () => {
  it('keeps the reason for whoever keeps the server, once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': uuidv7() }
    for (let times = 0; times < 2; times += 1) {
      const answer = await report('  sends nonsense  ', opened.ben.userId, headers)
      expect([answer.status, answer.body]).toEqual([200, { isReported: true }])
    }
    const kept = await opened.chat.app.whileStopped((storage) =>
      storage.database<ReportDocument>('reports').range({}),
    )
    expect(kept).toMatchObject([
      {
        reporterId: opened.ann.userId,
        reportedId: opened.ben.userId,
        reason: 'sends nonsense',
        reportedAt: expect.any(Number),
      },
    ])
  })

  it('keeps the last messages that come with it, five short ones at most', async () => {
    const said = (text: unknown) => ({ isTheirs: true, text, writtenAt: new Date(0).toISOString() })
    const tell = (messages: unknown) =>
      as(opened.ben).post(`/users/${opened.ann.userId}/report`, { reason: 'a reason', messages })
    for (const refused of [
      Array.from({ length: 6 }, () => said('x')),
      [said('x'.repeat(1_001))],
      [said(7)],
      'x',
    ]) {
      expect((await tell(refused)).status).toBe(400)
    }
    expect((await tell([])).status).toBe(200)
    const five = ['one', 'two', 'three', 'four', 'x'.repeat(1_000)].map(said)
    expect((await tell(five)).status).toBe(200)
    const kept = await opened.chat.app.whileStopped((storage) =>
      storage.database<ReportDocument>('reports').range({}),
    )
    const ofBen = kept.filter(({ reporterId }) => reporterId === opened.ben.userId)
    expect(ofBen.map(({ messages }) => messages)).toEqual([undefined, five])
  })

  it.each([[undefined], ['   bad   '], ['1234'], [{ $gt: '' }], [['a long reason']]])(
    'refuses %j',
    async (reason) => {
      const answer = await report(reason)
      expect([answer.status, answer.body.error]).toEqual([
        400,
        'Reason must be at least 5 characters long',
      ])
    },
  )

  it('is about others who are there, in words of some length', async () => {
    expect((await report('x'.repeat(2_001))).status).toBe(400)
    expect((await report('a reason', uuidv7())).status).toBe(404)
    expect((await report('a reason', opened.ann.userId)).body.code).toBe('own_account')
  })

  it('P12: is limited for each reporter, and a repeat of one that was kept still answers', async () => {
    const app = await startTestApp({ RATE_LIMIT: 'on' })
    onTestFinished(() => app.close())
    const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
    const { max } = limits.reportsPerReporter
    const tell = (from: TestPerson, about: TestPerson, key = uuidv7()) =>
      app.call('POST', `/api/users/${about.userId}/report`, {
        token: from.token,
        body: { reason: 'sends nonsense' },
        headers: { 'idempotency-key': key },
      })
    const repeated = uuidv7()
    for (let times = 0; times < 3; times += 1)
      expect((await tell(ann, ben, repeated)).status).toBe(200)
    for (let times = 1; times < max; times += 1) expect((await tell(ann, ben)).status).toBe(200)
    const refused = await tell(ann, ben)
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await tell(ann, ben, repeated)).status).toBe(200)
    expect((await tell(ben, ann)).status).toBe(200)
    const kept = await app.whileStopped((storage) =>
      storage.database<ReportDocument>('reports').range({}),
    )
    expect(kept.filter(({ reporterId }) => reporterId === ann.userId)).toHaveLength(max)
  })
})

describe('phone numbers', () => {
  beforeAll(async () => {
    await as(opened.ben).put('/users/profile', { phone_number: '+1 (650) 555-1234' })
    await as(opened.ann).put('/users/profile', { phone_number: '16505550000' })
  })

  describe('GET /users/phone/{digits}', () => {
    it('finds the person of a whole number, in any formatting', async () => {
      for (const number of ['16505551234', '+1 650 555-1234']) {
        const answer = await as(opened.ann).get(`/users/phone/${encodeURIComponent(number)}`)
        expect([answer.status, answer.body._id]).toEqual([200, opened.ben.userId])
        expect(answer.body).not.toHaveProperty('email')
      }
    })

    it('finds nobody, and never oneself', async () => {
      for (const number of ['19999999999', '16505550000', '6505551234']) {
        const answer = await as(opened.ann).get(`/users/phone/${number}`)
        expect([answer.status, answer.body.error]).toEqual([404, 'User not found'])
      }
      for (const short of ['123456789', 'abc', '-']) {
        const answer = await as(opened.ann).get(`/users/phone/${short}`)
        expect([answer.status, answer.body.error]).toEqual([
          400,
          'Phone number must be at least 10 digits',
        ])
      }
    })

    it('slows down who tries number after number', async () => {
      const app = await startTestApp({ RATE_LIMIT: 'on' })
      try {
        const { token } = await app.register('Ann')
        const tries = Array.from({ length: 61 }, (_, index) =>
          app.call('GET', `/api/users/phone/${16505550000 + index}`, { token }),
        )
        const statuses = (await Promise.all(tries)).map(({ status }) => status)
        expect(statuses.filter((status) => status === 429)).toHaveLength(1)
        const answer = await app.call('GET', '/api/users/search/phone/650', { token })
        expect([answer.status, answer.body.code]).toEqual([429, 'too_many_lookups'])
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      } finally {
        await app.close()
      }
    })
  })

  describe('GET /users/search/phone/{digits}', () => {
    it('finds by a part of the number, and never oneself', async () => {
      const search = (digits: string) =>
        as(opened.ann).get(`/users/search/phone/${encodeURIComponent(digits)}`)
      expect(idsOf(await search('650555'))).toEqual([opened.ben.userId])
      expect(idsOf(await search('+1 650'))).toEqual([opened.ben.userId])
      for (const nothing of ['12', 'x', '777', '0000']) {
        const answer = await search(nothing)
        expect([answer.status, answer.body]).toEqual([200, []])
      }
    })

    it('finds strangers by the whole number only, with DIRECTORY=contacts', async () => {
      const app = await startTestApp({ DIRECTORY: 'contacts' })
      try {
        const [ann, ben] = [await app.register('Ann'), await app.register('Ben')]
        const search = async (digits: string) =>
          idsOf(await app.call('GET', `/api/users/search/phone/${digits}`, { token: ann.token }))
        const body = { phone_number: '16505551234' }
        await app.call('PUT', '/api/users/profile', { token: ben.token, body })
        expect(await search('6505551')).toEqual([])
        expect(await search('16505551234')).toEqual([ben.userId])
        const message = { recipientId: ben.userId, content: 'hello' }
        await app.call('POST', '/api/messages', { token: ann.token, body: message })
        expect(await search('6505551')).toEqual([ben.userId])
      } finally {
        await app.close()
      }
    })
  })
})
