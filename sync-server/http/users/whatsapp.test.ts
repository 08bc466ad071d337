import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestChat, type TestChat } from '../../testing/open-test-chat.ts'
import { startTestApp, type TestPerson } from '../../testing/start-test-app.ts'

const opened = {} as { chat: TestChat; ann: TestPerson; ben: TestPerson }
beforeAll(async () => {
  opened.chat = await openTestChat()
  opened.ann = await opened.chat.register('Ann')
  opened.ben = await opened.chat.register('Ben')
})
afterAll(() => opened.chat.close())

const link = (person: TestPerson, body: unknown) =>
  opened.chat.as(person).post('/users/link-whatsapp', body)
const unlink = (person: TestPerson) => opened.chat.as(person).post('/users/unlink-whatsapp')
const setProfile = (person: TestPerson, body: unknown) =>
  opened.chat.as(person).put('/users/profile', body)
const readOwn = async (person: TestPerson) => (await opened.chat.as(person).get('/users/me')).body
const login = (username: string, password: string) =>
  opened.chat.app.call('POST', '/api/auth/login', { body: { username, password } })

const both = (digits: string) => ({ wa_id: digits, phone_number: digits })
const valid = both('15550100009')
const four = { wa_id: null, phone_number: null, phone_number_id: null, whatsapp_name: null }
const nothing = { ...four, profile: {}, whatsapp_connected: false }
const required = 'WhatsApp ID and phone number are required'
const badFormat = 'Invalid phone number format. Please use international format (e.g., +1234567890)'
const taken = {
  error: 'This WhatsApp account is already linked to another user',
  code: 'whatsapp_taken',
}
const notConfigured = {
  error: 'WhatsApp channel is not configured',
  code: 'whatsapp_not_configured',
}

describe('POST /users/link-whatsapp', () => {
  it('keeps both numbers, digits only, and shows the link in one’s record', async () => {
    const answer = await link(opened.ann, {
      wa_id: '+1 (555) 078-3881',
      phone_number: '+1 555 078 3882',
      whatsapp_name: ' Lucky Shrub ',
      profile: { about: 'Succulents' },
    })
    const linked = {
      wa_id: '15550783881',
      phone_number: '15550783882',
      whatsapp_name: 'Lucky Shrub',
      profile: { about: 'Succulents' },
      whatsapp_connected: true,
    }
    expect([answer.status, answer.body]).toEqual([200, { ...linked, phone_number_id: null }])
    await opened.chat.app.restart()
    expect(await readOwn(opened.ann)).toMatchObject(linked)
    const seen = await opened.chat.as(opened.ben).get(`/users/${opened.ann.userId}`)
    expect(seen.body).toMatchObject(linked)
  })

  it('puts a link in the place of the one before it, and frees its numbers', async () => {
    await link(opened.ann, { ...both('15550100001'), whatsapp_name: 'A', profile: { a: 1 } })
    const next = await link(opened.ann, { ...both('15550100002'), phone_number_id: ' ' })
    expect(next.body).toEqual({ ...nothing, ...both('15550100002'), whatsapp_connected: true })
    expect((await link(opened.ann, both('15550100002'))).status).toBe(200)
    expect((await link(opened.ben, both('15550100001'))).status).toBe(200)
    await unlink(opened.ben)
  })

  it.each([
    ['no body', undefined, required],
    ['null', null, required],
    ['a list', [], required],
    ['nothing', {}, required],
    ['no phone number', { wa_id: '15550100009' }, required],
    ['what is missing before what is wrong', { wa_id: 'bad' }, required],
    ['space alone', { phone_number: '15550100009', wa_id: '  ' }, required],
    ['what is no text', { phone_number: { $gt: '' }, wa_id: 15_550_100_009 }, required],
    ['too few digits', { phone_number: '15550100009', wa_id: '123456789' }, badFormat],
    ['too many digits', { phone_number: '1234567890123456', wa_id: '15550100009' }, badFormat],
    ['a long name', { ...valid, whatsapp_name: 'x'.repeat(101) }, 'Display name is too long'],
    [
      'a large profile',
      { ...valid, profile: { text: 'x'.repeat(2_048) } },
      'The WhatsApp profile is too large',
    ],
    ['a profile of text', { ...valid, profile: 'x' }, 'The WhatsApp profile must be an object'],
  ])('refuses %s', async (_what, body, words) => {
    const before = await readOwn(opened.ann)
    const answer = await link(opened.ann, body)
    expect([answer.status, answer.body.error]).toEqual([400, words])
    expect(await readOwn(opened.ann)).toEqual(before)
  })

  it('P8: never gives a number that somebody has, and leaves nothing behind of a refused try', async () => {
    await link(opened.ann, { wa_id: '15550200001', phone_number: '15550200002' })
    for (const numbers of [
      { wa_id: '15550200001', phone_number: '15550200003' },
      { wa_id: '15550200003', phone_number: '+1 555 020 0002' },
    ]) {
      const answer = await link(opened.ben, numbers)
      expect([answer.status, answer.body]).toEqual([409, taken])
    }
    expect(await readOwn(opened.ben)).toMatchObject({ whatsapp_connected: false })
    expect((await link(opened.ann, both('15550200003'))).status).toBe(200)
  })

  it('gives a number that many ask for at once to exactly one', async () => {
    const people = await Promise.all(
      Array.from({ length: 6 }, (_, index) => opened.chat.register(`Racer-${index}`)),
    )
    const answers = await Promise.all(people.map((person) => link(person, both('15550300001'))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  })

  it('P8: takes no sign-in by phone number from whoever has the number', async () => {
    const owner = await opened.chat.register('Owner')
    const mallory = await opened.chat.register('Mallory')
    await link(owner, both('15550400001'))
    expect((await link(mallory, both('15550400001'))).body).toEqual(taken)
    // A WhatsApp id is no name to sign in with, whatever number it is.
    await link(mallory, { wa_id: '15550400009', phone_number: '15550400002' })
    expect((await login('15550400009', mallory.password)).status).toBe(401)
    expect((await login('+1 555 040 0001', mallory.password)).status).toBe(401)
    const answer = await login('+1 555 040 0001', owner.password)
    expect([answer.status, answer.body.user._id]).toEqual([200, owner.userId])
  })

  it('P8: brings nobody what was said to somebody else', async () => {
    const [cyd, dan] = [await opened.chat.register('Cyd'), await opened.chat.register('Dan')]
    await link(cyd, both('15550500001'))
    await opened.chat.say(opened.ann, cyd, 'for Cyd')
    await unlink(cyd)
    await link(dan, both('15550500001'))
    expect((await opened.chat.as(dan).get('/messages/conversations')).body).toEqual([])
    expect((await opened.chat.as(dan).get(`/messages/${opened.ann.userId}`)).body).toEqual([])
    const said = await opened.chat.as(opened.ann).get('/messages/phone/15550500001')
    expect(said.body).toEqual([])
  })

  it('stores nothing that only the provider can vouch for', async () => {
    const eve = await opened.chat.register('Eve')
    const answer = await link(eve, { ...both('15550600001'), phone_number_id: '106540352242922' })
    expect([answer.status, answer.body]).toEqual([503, notConfigured])
    expect(await readOwn(eve)).toMatchObject({ whatsapp_connected: false })
    const vouched = {
      whatsapp_business_account_id: '1',
      verified_name: 'B',
      quality_rating: 'GREEN',
    }
    const profile = { ...vouched, about: 'Mine' }
    const linked = await link(eve, { ...both('15550600001'), profile })
    expect(linked.body.profile).toEqual({ about: 'Mine' })
  })

  it('slows down who tries number after number', async () => {
    const app = await startTestApp({ RATE_LIMIT: 'on' })
    try {
      const { token } = await app.register('Ann')
      const ask = (method: string, path: string, body: object) =>
        app.call(method, `/api/users/${path}`, { token, body })
      for (let index = 0; index < 30; index += 1) {
        await ask('POST', 'link-whatsapp', both(`${15_550_700_000 + index}`))
        await ask('PUT', 'profile', { phone_number: `${15_550_800_000 + index}` })
      }
      for (const answer of [
        await ask('POST', 'link-whatsapp', both('15550700000')),
        await ask('PUT', 'profile', { phone_number: '15550800000' }),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([429, 'too_many_lookups'])
      }
      expect((await ask('PUT', 'profile', { status: 'Busy' })).status).toBe(200)
    } finally {
      await app.close()
    }
  })
})

describe('POST /users/unlink-whatsapp', () => {
  it('takes the link away, once or twice, and no history', async () => {
    const fay = await opened.chat.register('Fay')
    await link(fay, { ...both('15550900001'), whatsapp_name: 'F', profile: { about: 'F' } })
    await opened.chat.say(opened.ann, fay, 'before')
    for (let times = 0; times < 2; times += 1) {
      const answer = await unlink(fay)
      expect([answer.status, answer.body]).toEqual([200, nothing])
    }
    const own = await readOwn(fay)
    expect(own.whatsapp_connected).toBe(false)
    for (const field of [...Object.keys(four), 'profile']) expect(own).toHaveProperty(field, null)
    const kept = (await opened.chat.as(fay).get(`/messages/${opened.ann.userId}`)).body
    expect(kept).toMatchObject([{ content: 'before' }])
    expect((await login('15550900001', fay.password)).status).toBe(401)
    expect((await link(opened.ben, both('15550900001'))).status).toBe(200)
    await unlink(fay)
    expect(await readOwn(opened.ben)).toMatchObject(both('15550900001'))
    await unlink(opened.ben)
  })

  it('happens by itself when somebody leaves', async () => {
    const guy = await opened.chat.register('Guy')
    await link(guy, both('15551000001'))
    expect((await opened.chat.as(guy).leave()).status).toBe(200)
    expect((await link(opened.ben, both('15551000001'))).status).toBe(200)
  })
})

describe('PUT /users/profile', () => {
  it('unlinks with the four fields null', async () => {
    await link(opened.ann, { ...both('15551100001'), profile: { about: 'A' } })
    const answer = await setProfile(opened.ann, four)
    expect([answer.status, answer.body.whatsapp_connected]).toEqual([200, false])
    for (const field of [...Object.keys(four), 'profile']) {
      expect(answer.body).toHaveProperty(field, null)
    }
    expect((await link(opened.ben, both('15551100001'))).status).toBe(200)
  })

  it('unlinks and leaves the phone number, which signs in, with all but it null', async () => {
    const hal = await opened.chat.register('Hal')
    const before = { phone_number: '15551400001' }
    await setProfile(hal, before)
    await link(hal, { ...both('15551400001'), whatsapp_name: 'H', profile: { about: 'H' } })
    const { phone_number, ...others } = four
    const answer = await setProfile(hal, others)
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(before)])
    for (const field of [...Object.keys(others), 'profile']) {
      expect(answer.body).toHaveProperty(field, null)
    }
    expect((await login('+1 555 140 0001', hal.password)).body.user._id).toBe(hal.userId)
  })

  it('links by the same rules', async () => {
    const numbers = { wa_id: '+1 555 120 0001', phone_number: '+1 555 120 0002' }
    const linked = await setProfile(opened.ann, { ...numbers, whatsapp_name: 'A' })
    expect(linked.body).toMatchObject({
      wa_id: '15551200001',
      phone_number: '15551200002',
      whatsapp_name: 'A',
      whatsapp_connected: true,
    })
    const refusals: [object, number, string][] = [
      [{ wa_id: '15551200009' }, 400, required],
      [{ wa_id: '15551200009', phone_number: null }, 400, required],
      [{ wa_id: '12', phone_number: '15551200009' }, 400, badFormat],
      [{ wa_id: '15551200001', phone_number: '15551200009' }, 409, taken.error],
      [{ phone_number: '15551200002' }, 409, 'This phone number belongs to another account'],
      [{ phone_number_id: '106540352242922', status: 'x' }, 503, notConfigured.error],
    ]
    const before = await readOwn(opened.ben)
    for (const [body, status, words] of refusals) {
      const answer = await setProfile(opened.ben, body)
      expect([answer.status, answer.body.error]).toEqual([status, words])
    }
    expect(await readOwn(opened.ben)).toEqual(before)
  })

  it('lets no WhatsApp id stand without its phone number', async () => {
    await link(opened.ann, { ...both('15551300001'), whatsapp_name: 'A' })
    const { body } = await setProfile(opened.ann, { phone_number: null })
    expect(body).toMatchObject({ whatsapp_name: 'A', whatsapp_connected: false })
    expect(body).toHaveProperty('wa_id', null)
    expect((await link(opened.ben, both('15551300001'))).status).toBe(200)
  })
})
