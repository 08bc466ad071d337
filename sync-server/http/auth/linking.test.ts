import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limits } from '../../../schema/limits.ts'
import { openTestDevice } from '../../testing/open-test-device.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../testing/start-test-app.ts'

const clock = { aheadMs: 0 }
const opened = {} as { app: TestApp; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.app = await startTestApp(
    { PUBLIC_URL: 'https://chat.example.org' },
    { deviceLinkNow: () => Date.now() + clock.aheadMs },
  )
  opened.ann = await opened.app.register('Ann')
  opened.ben = await opened.app.register('Ben')
})
afterAll(() => opened.app.close())

const path = (id: string) => `/api/users/me/device-links/${id}`
const scan = (id: string, { token } = opened.ann) => opened.app.call('POST', path(id), { token })
const decide = (id: string, isAllowed: boolean, { token } = opened.ann) =>
  opened.app.call('PUT', path(id), { token, body: { isAllowed } })
const look = (id: string, seen: string, { token } = opened.ann) =>
  opened.app.call('GET', `${path(id)}?seen=${seen}`, { token })
const listSessions = async (token: string) =>
  (await opened.app.call('GET', '/api/users/me/sessions', { token })).body as {
    _id: string
    device: string
    isCurrent: boolean
  }[]
const codeOf = ({ body }: { body: { code?: string } }) => body.code

describe('a new device', () => {
  it('is signed in by device-links once the person who scanned its code confirms', async () => {
    const { ann } = opened
    const device = await openTestDevice(opened.app, { 'user-agent': 'Firefox/1 on Windows' })
    expect(device.begun).toMatchObject({ publicUrl: 'https://chat.example.org' })
    expect(device.begun.expiresInMs).toBeLessThanOrEqual(limits.deviceLinks.stepMs)
    const scanned = device.wait('waiting')
    expect((await scan(device.id)).body).toMatchObject({
      state: 'scanned',
      device: 'Firefox/1 on Windows',
      isSameNetwork: true,
    })
    expect((await scanned).body).toMatchObject({ state: 'scanned', username: 'Ann' })
    expect((await scanned).body.challenge).toBeUndefined()

    const approved = device.wait('scanned')
    expect((await decide(device.id, true)).body).toEqual({ state: 'approved' })
    const { challenge } = (await approved).body
    const done = look(device.id, 'approved')
    const answer = await device.send('complete', { challenge })
    expect(answer.status).toBe(200)
    expect(answer.body.user).toMatchObject({ _id: ann.userId, email: ann.email })
    expect((await done).body.state).toBe('done')

    const current = (await listSessions(answer.body.token)).find((one) => one.isCurrent)
    expect(current?.device).toBe('Firefox/1 on Windows')
  })

  it('that does not stay is signed in for 12 hours, as with a password', async () => {
    const device = await openTestDevice(opened.app)
    await scan(device.id)
    await decide(device.id, true)
    const { body } = await device.complete({ body: { keepSignedIn: false, seen: 'scanned' } })
    const list = await opened.app.call('GET', '/api/users/me/sessions', { token: body.token })
    const { createdAt, expiresAt } = list.body.find((one: { isCurrent: boolean }) => one.isCurrent)
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(limits.signInOnceMs)
  })

  it('whose answer got lost asks again and gets the same sign-in, until that ends', async () => {
    const device = await openTestDevice(opened.app)
    await scan(device.id)
    await decide(device.id, true)
    const first = await device.complete()
    const before = (await listSessions(opened.ann.token)).length
    const second = await device.complete()
    expect(second.status).toBe(200)
    expect(await listSessions(opened.ann.token)).toHaveLength(before)
    const current = (await listSessions(second.body.token)).find((one) => one.isCurrent)
    const token = first.body.token
    expect((await listSessions(token)).find((one) => one.isCurrent)?._id).toBe(current?._id)
    await opened.app.call('POST', '/api/auth/logout', { token })
    expect(codeOf(await device.complete())).toBe('device_link_used')
  })

  it('that did not learn that its code was made begins once more, and shows the same code', async () => {
    const device = await openTestDevice(opened.app)
    const again = await device.beginAgain()
    expect([again.status, again.body.id, again.body.challenge]).toEqual([
      201,
      device.id,
      device.challenge,
    ])
    await scan(device.id)
    expect((await device.beginAgain()).status).toBe(503)
    await decide(device.id, true)
    expect((await device.complete()).status).toBe(200)
  })

  it('learns that it was declined, and cannot sign in', async () => {
    const device = await openTestDevice(opened.app)
    await scan(device.id)
    const waits = device.wait('scanned')
    expect((await decide(device.id, false)).body).toEqual({ state: 'refused' })
    expect(codeOf(await waits)).toBe('device_link_refused')
    expect(codeOf(await decide(device.id, true))).toBe('device_link_refused')
  })

  it('can cancel, which ends it for the person who scanned the code', async () => {
    const device = await openTestDevice(opened.app)
    await scan(device.id)
    const waits = look(device.id, 'scanned')
    expect((await device.send('cancel')).body).toEqual({ isCancelled: true })
    expect(codeOf(await waits)).toBe('device_link_cancelled')
    expect(codeOf(await decide(device.id, true))).toBe('device_link_cancelled')
  })
})

describe('a code', () => {
  it('is worthless to who only sees it: every step of the device needs its key', async () => {
    const device = await openTestDevice(opened.app)
    const thief = await openTestDevice(opened.app)
    await scan(device.id)
    await decide(device.id, true)
    const { challenge } = (await device.wait('scanned')).body
    for (const purpose of ['wait', 'cancel', 'complete'] as const) {
      const more = { id: device.id, challenge, body: { seen: 'waiting' } }
      expect(codeOf(await thief.send(purpose, more))).toBe('device_link_wrong_key')
    }
    // Nor does a signature of the device's own for something else count.
    const own = { body: { seen: 'waiting' } }
    expect(codeOf(await device.send('complete', own))).toBe('device_link_wrong_key')
    expect((await device.send('complete', { challenge })).status).toBe(200)
  })

  it('that was scanned is nobody else’s to confirm', async () => {
    const device = await openTestDevice(opened.app)
    await scan(device.id)
    expect(codeOf(await scan(device.id, opened.ben))).toBe('device_link_used')
    expect(codeOf(await decide(device.id, true, opened.ben))).toBe('device_link_unknown')
    expect(codeOf(await look(device.id, 'approved', opened.ben))).toBe('device_link_unknown')
    expect((await decide(device.id, true)).status).toBe(200)
  })

  it('cannot be confirmed without being looked at, nor completed before', async () => {
    const device = await openTestDevice(opened.app)
    expect(codeOf(await decide(device.id, true))).toBe('device_link_unknown')
    await scan(device.id)
    const early = await device.send('complete', { challenge: device.challenge })
    expect(codeOf(early)).toBe('device_link_not_approved')
  })

  it('works once: a confirm that is replayed, and a code that was used, are refused', async () => {
    const device = await openTestDevice(opened.app)
    await scan(device.id)
    await decide(device.id, true)
    expect(codeOf(await decide(device.id, true))).toBe('device_link_used')
    expect((await device.complete()).status).toBe(200)
    expect(codeOf(await decide(device.id, true))).toBe('device_link_used')
    expect(codeOf(await scan(device.id))).toBe('device_link_used')
    expect((await device.beginAgain()).status).toBe(503)
  })

  it('is stale after two minutes, for the person and for the device', async () => {
    const device = await openTestDevice(opened.app)
    const confirmed = await openTestDevice(opened.app)
    await scan(confirmed.id)
    await decide(confirmed.id, true)
    try {
      clock.aheadMs = limits.deviceLinks.stepMs
      expect(codeOf(await scan(device.id))).toBe('device_link_expired')
      expect(codeOf(await device.wait('waiting'))).toBe('device_link_expired')
      expect(codeOf(await confirmed.complete())).toBe('device_link_expired')
      clock.aheadMs = 3 * limits.deviceLinks.stepMs
      await openTestDevice(opened.app)
      expect(codeOf(await scan(device.id))).toBe('device_link_unknown')
    } finally {
      clock.aheadMs = 0
    }
  })

  it('ends with the sign-in that confirmed it, and with a change of the password', async () => {
    const { call, register } = opened.app
    const zoe = await register('Zoe')
    const body = { username: zoe.email, password: zoe.password }
    const phone = (await call('POST', '/api/auth/login', { body })).body as { token: string }
    const confirm = async (token: string) => {
      const device = await openTestDevice(opened.app)
      await call('POST', path(device.id), { token })
      await call('PUT', path(device.id), { token, body: { isAllowed: true } })
      return device
    }
    const first = await confirm(phone.token)
    await call('POST', '/api/auth/logout', { token: phone.token })
    expect(codeOf(await first.complete())).toBe('device_link_refused')

    const second = await confirm(zoe.token)
    const change = { currentPassword: zoe.password, newPassword: 'another password' }
    await call('PUT', '/api/users/me/password', { token: zoe.token, body: change })
    expect(codeOf(await second.complete())).toBe('device_link_refused')
  })

  it('that nobody shows is unknown; keys and codes that cannot be are told apart', async () => {
    const { call } = opened.app
    expect(codeOf(await scan('A'.repeat(22)))).toBe('device_link_unknown')
    expect((await scan('short')).status).toBe(400)
    const offCurve = `B${'A'.repeat(86)}`
    for (const publicKey of [offCurve, 'B', undefined]) {
      expect((await call('POST', '/api/auth/device-links', { body: { publicKey } })).status).toBe(
        400,
      )
    }
    const anonymous = await call('POST', path('A'.repeat(22)))
    expect(anonymous.status).toBe(401)
  })
})

describe('P12: codes', () => {
  it('of one network are bounded, and so are guesses', async () => {
    const app = await startTestApp({ RATE_LIMIT: 'on' })
    try {
      const { openPerNetworkMax, unknownPerCaller } = limits.deviceLinks
      const ann = await app.register('Ann')
      const first = await openTestDevice(app)
      for (let n = 1; n < openPerNetworkMax; n++) await openTestDevice(app)
      await expect(openTestDevice(app)).rejects.toThrow('busy')
      // Those who wait already are not pushed out.
      const own = { token: ann.token }
      expect((await app.call('POST', path(first.id), own)).status).toBe(200)
      const guess = () => app.call('POST', path('A'.repeat(22)), own)
      for (let n = 0; n < unknownPerCaller.max; n++) expect((await guess()).status).toBe(404)
      expect((await guess()).status).toBe(429)
    } finally {
      await app.close()
    }
  })

  it('are waited for only as long as the server and the caller are there', async () => {
    const app = await startTestApp()
    const device = await openTestDevice(app)
    const waits = device.wait('waiting').catch((error: unknown) => error)
    const { body } = await device.send('wait', { body: { seen: 'scanned' } })
    expect(body.state).toBe('waiting')
    await app.close()
    await waits
  })
})
